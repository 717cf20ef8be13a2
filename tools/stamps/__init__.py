"""Reads when a line happened, in every dialect that kernels, daemons, trainers and people write."""

from firstfault.tools.stamps.ages import age_of, age_stamp, span_of
from firstfault.tools.stamps.calendar import Calendar, zone_of
from firstfault.tools.stamps.stamper import Stamper, stamper

__all__ = ["Calendar", "Stamper", "age_of", "age_stamp", "span_of", "stamper", "zone_of"]
