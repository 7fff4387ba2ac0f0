"""What each API runs and takes, learnt by executing sample inputs on the build itself."""
