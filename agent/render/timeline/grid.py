"""The measures of the picture, in units of its canvas."""

WIDTH = 1080.0
LEFT, RIGHT = 210.0, WIDTH - 24.0
"""Where lanes begin after their labels, and where they end."""
TOP, LANE, LEGEND = 56.0, 30.0, 34.0
"""Height of the axis above the lanes, of one lane, and of the legend below them."""
PANEL_GAP = 26.0
TICK_SIZE, LABEL_SIZE = 11.0, 11.5


def middle(lane: int) -> float:
    """Return the y of the middle of a lane."""
    return TOP + lane * LANE + LANE / 2
