"""Colours: one for each method, the same everywhere, told apart by colour-blind readers too."""

from __future__ import annotations

from fspielm.solution.pictures.style import BLUE, INK, LOGARITHMIC_COLOURS, VERMILION

# Okabe and Ito's, and a wine red of Paul Tol's.
COLOURS = {
    "tanh": "#e69f00",
    "siren": "#56b4e9",
    "gff": "#009e73",
    "fs-l": BLUE,
    "fs-g": VERMILION,
    "fs-l-space": "#cc79a7",
    "fs-g-space": "#882255",
    "automatic": INK,
}
# On a dark page: lighter where the above would be lost.
DARK_COLOURS = COLOURS | {"fs-l": "#4c9fe0", "fs-g": "#ec7a2c", "fs-g-space": "#b08cf0", "automatic": "#e8ebf0"}


def heat_colour(share: float) -> tuple[str, str]:
    """The colour of a share of the scale, between 0 and 1, and that of text upon it."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    red, green, blue, _ = colormaps[LOGARITHMIC_COLOURS](share)
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
    return to_hex((red, green, blue)), "#ffffff" if dark else INK
