"""LEMON (FSE'20): mutants of models, guided to where backends drift apart."""

from harvest.sources.lemon.source import LEMON as LEMON
