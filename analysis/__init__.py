"""Floor 0: what a framework build is and what it does when it runs code."""
