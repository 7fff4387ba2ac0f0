"""From a reading to a case: what a report shows on a build, and which API is to blame."""
