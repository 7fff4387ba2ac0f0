"""What `make bench` measures; every claim about speed in the documentation comes from here."""
