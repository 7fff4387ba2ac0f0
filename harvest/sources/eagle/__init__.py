"""EAGLE (ICSE 2022): two executions of one library that a rule calls equal, and are not."""
