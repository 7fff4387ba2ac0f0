"""Framework sources: functions, and groups of functions that are analogous."""
