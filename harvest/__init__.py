"""Floor 1: everything that yields candidate bug cases."""
