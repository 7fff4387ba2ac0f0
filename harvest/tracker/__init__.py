"""Trackers: from GitHub, or from files of its issues, to a harvest file that survives anything.

`remote` and `files` yield pages of issues, `harvest_file` keeps them, `queue` reads them back
through the filters of `harvest.report`. Nothing here runs a report's code.
"""
