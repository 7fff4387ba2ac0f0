"""Which APIs of a build may be siblings of one: channels of similarity and their ranking."""
