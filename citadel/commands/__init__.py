"""What each command does, without its options: usable as a library."""
