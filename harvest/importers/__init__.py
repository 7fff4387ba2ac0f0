"""Other fuzzers' output folders -> reports, as a tracker's issues become reports.

`IMPORTERS` in `table` names the formats; each finds leads in a `Folder` and reads one into a case.
`source` makes pages of them for a harvest file, `pairs` reads which APIs a fuzzer held for equal.
Nothing here runs a script, and pickles are opened by `pickles` in the sandbox only.
"""
