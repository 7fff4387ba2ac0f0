"""CRADLE (ICSE'19): one network on several backends, compared in pairs, and localised."""

from harvest.sources.cradle.source import CRADLE as CRADLE
