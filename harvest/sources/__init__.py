"""Own sources of bug cases: the fuzzers CRADLE, LEMON, Audee and EAGLE, on today's frameworks."""
