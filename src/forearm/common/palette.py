"""Every colour, once: of plots, notebooks, reports and the viewer. They stay apart for colour-blind people."""

Rgb = tuple[int, int, int]

# Okabe and Ito.
BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"
PINK, SKY, AMBER, YELLOW = "#cc79a7", "#56b4e9", "#e69f00", "#f0e442"
INK = "#202020"
GREY = "#808080"  # seen on white and on black
PALE = "#999999"  # what was before, beside what is now
TAB = "#2b8fd6"  # the part of a panel that is open, read on white and on black
# a floor, its lines, and every fifth of them
FLOOR_BY_DAY, FLOOR_BY_NIGHT = ("#f1f3f5", "#dde1e6", "#c2c8d0"), ("#23272c", "#30363d", "#454d57")
FAINT = "rgba(128,128,128,.45)"  # frames and rails

SERIES = (BLUE, ORANGE, GREEN, PINK, SKY, AMBER, GREY)  # of several lines, one after the other
AXES = (ORANGE, GREEN, BLUE)  # x, y, z of a frame

GOOD, BAD = GREEN, ORANGE  # whether something came out
BAD_WORDS = "#a13d00"  # the same orange, dark enough to be read as text on white
OBSTACLE, OBSTACLE_ON_WHITE = YELLOW, PINK  # on white paper yellow would not be seen

# Of the viewer's figures.
BODY, HUB, START = "#dee2e8", "#6e7a8c", "#828892"  # links, joints, what a method starts from


def rgb(colour: str) -> Rgb:
    """A colour as red, green and blue from 0 to 255."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def css(colour: Rgb) -> str:
    """The same as a style sheet writes it."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
