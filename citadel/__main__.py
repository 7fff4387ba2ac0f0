"""`python -m citadel`."""

from citadel.cli.app import main

main()
