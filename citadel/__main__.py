"""`python -m citadel`."""

from citadel.cli import main

main()
