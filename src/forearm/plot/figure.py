"""A matplotlib figure that a notebook shows, whether or not pyplot was imported; needs the extra `plot`."""

from io import BytesIO

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


class Picture(Figure):
    """A figure with a canvas that needs no display."""

    def __init__(self, width: float, height: float) -> None:
        """An empty figure [inch]."""
        super().__init__(figsize=(width, height), dpi=120, layout="constrained")
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        """What a notebook shows: without pyplot it would print the figure's size."""
        data = BytesIO()
        self.savefig(data, format="png", dpi=80)
        return data.getvalue()
