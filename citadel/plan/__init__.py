"""How a failing call is carried over to a sibling: one plan, applied to values and to text."""
