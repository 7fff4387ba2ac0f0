"""Audee (ASE'20): layer parameters, inputs and weights mutated, causes named by Algorithm 2."""

from harvest.sources.audee.source import AUDEE as AUDEE
