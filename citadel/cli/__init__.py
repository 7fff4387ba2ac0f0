"""The command line: thin commands that read options and call `citadel.commands`."""
