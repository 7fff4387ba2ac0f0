"""Makes a case smaller that fails by itself, and whose control does not."""
