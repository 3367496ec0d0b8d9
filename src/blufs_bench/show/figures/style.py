"""The one look of all figures, and how they are written to files.

Methods differ by colour, line style and marker at once, so that the figures can be read in grey
and by the colour-blind; the method under study is black and thick, the baseline grey and dashed.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import seaborn as sns
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from PIL import Image

from blufs_bench.files.atomic import atomic_path
from blufs_bench.results.suite import Suite
from blufs_bench.results.vocabulary import (
    ALL_FEATURES,
    CHOICES,
    METHOD_UNDER_STUDY,
    RANDOM_FEATURES,
)

#: Nine colours that the colour-blind can tell apart: the "muted" scheme of Paul Tol, its two palest
#: colours replaced by darker ones of Okabe and Ito.
SAFE = (
    *("#332288", "#56B4E9", "#117733", "#CC6677", "#44AA99"),
    *("#AA4499", "#E69F00", "#882255", "#999933"),
)
LINE_STYLES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))
MARKERS = ("s", "^", "v", "D", "P", "X", "<", ">", "*", "p", "h", "d")

#: Colour map of magnitudes: grows from light to dark, also in grey.
SEQUENTIAL = "YlGnBu"

_PDF_METADATA = {"Creator": None, "Producer": None, "CreationDate": None}


class NoDataError(LookupError):
    """The suite does not hold what a figure shows; the message says what and why."""


@dataclass(frozen=True)
class Style:
    """What the configuration says about the figures.

    Attributes
    ----------
    dpi : resolution of the PNG files
    context : scale of the text, one of seaborn's: paper, notebook, talk, poster
    palette : "safe" (see above) or any palette that seaborn knows
    """

    dpi: int = 110
    context: str = "paper"
    palette: str = "safe"


@dataclass(frozen=True)
class MethodStyle:
    """How one method is drawn."""

    color: Any
    linestyle: Any
    marker: str
    linewidth: float = 1.1
    zorder: float = 2.0

    @property
    def line(self) -> dict[str, Any]:
        """Keyword arguments of ``Axes.plot``."""
        return {
            "color": self.color,
            "linestyle": self.linestyle,
            "marker": self.marker,
            "linewidth": self.linewidth,
            "markersize": 4.5,
            "markeredgecolor": "white",
            "markeredgewidth": 0.4,
            "zorder": self.zorder,
        }


@contextmanager
def use_style(style: Style) -> Iterator[None]:
    """Draw inside this block in the common style; its colours are those of the cycle."""
    colors = SAFE if style.palette == "safe" else sns.color_palette(style.palette, len(SAFE))
    sizes: dict[str, Any] = sns.plotting_context(style.context)
    common: dict[str, Any] = {
        "figure.dpi": style.dpi,
        "figure.constrained_layout.use": True,
        "font.family": "DejaVu Sans",
        "axes.grid": True,
        "grid.color": "#E3E3E3",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "axes.edgecolor": "#444444",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titleweight": "bold",
        "axes.prop_cycle": cycler(color=colors),
        "pdf.fonttype": 42,
        "svg.hashsalt": "blufs",
    }
    settings: Any = sizes | common
    with mpl.rc_context(settings):
        yield


def method_styles(suite: Suite) -> dict[str, MethodStyle]:
    """Method or variant -> how it is drawn; the same in every figure of the suite."""
    fixed = (ALL_FEATURES, RANDOM_FEATURES, METHOD_UNDER_STUDY)
    names = [name for name in (*suite.methods, *suite.ablation) if name not in fixed]
    colors = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
    varied = zip(
        names,
        itertools.cycle(colors),
        itertools.cycle(LINE_STYLES),
        itertools.cycle(MARKERS),
        strict=False,
    )
    chosen = {name: MethodStyle(color, line, marker) for name, color, line, marker in varied}
    chosen[ALL_FEATURES] = MethodStyle("#777777", (0, (6, 3)), "", 1.3, 1.5)
    chosen[RANDOM_FEATURES] = MethodStyle("#999999", (0, (1, 1)), "", 1.6, 1.5)
    chosen[METHOD_UNDER_STUDY] = MethodStyle("black", "-", "o", 2.1, 3.0)
    return chosen


def new_figure(width: float, height: float) -> Figure:
    """A figure of that size in inches, outside of pyplot's global list."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def facets(
    n: int, *, columns: int = 4, width: float = 2.6, height: float = 2.2, **kwargs
) -> tuple[Figure, list[Axes]]:
    """A figure with n panels on a grid and nothing in the places left over."""
    columns = min(columns, n)
    # As even rows as possible: 5 panels make 3 + 2, not 4 + 1.
    rows = -(-n // columns)
    columns = -(-n // rows)
    figure = new_figure(max(4.0, width * columns), height * rows)
    grid = figure.subplots(rows, columns, squeeze=False, **kwargs)
    panels = list(grid.flat)
    for panel in panels[n:]:
        panel.remove()
    for panel in panels[max(0, n - columns) : n]:
        panel.tick_params(labelbottom=True)
    return figure, panels[:n]


def choice_line(choice: str) -> dict[str, Any]:
    """Keyword arguments of ``Axes.plot`` for one choice: the same in every figure."""
    look = CHOICES[choice]
    return {"color": look.color, "marker": look.marker, "linestyle": look.line}


def method_legend(
    figure: Figure, suite: Suite, methods: Sequence[str], where: str = "upper"
) -> None:
    """One legend for all panels, above ("upper") or below ("lower") them."""
    chosen = method_styles(suite)
    handles = [Line2D([], [], **chosen[name].line) for name in methods]
    width = figure.get_size_inches()[0]
    longest = max(len(suite.title(name)) for name in methods)
    columns = int(np.clip(width // (0.65 + 0.07 * longest), 2, 7))
    place: Any = f"outside {where} center"
    figure.legend(
        handles,
        [suite.title(name) for name in methods],
        loc=place,
        ncols=min(columns, len(handles)),
        frameon=False,
        handlelength=3.0,
    )


def empty_figure(title: str, text: str) -> tuple[Figure, Axes]:
    """A small figure that says why there is nothing to show."""
    figure = new_figure(5.5, 1.5)
    axes = figure.subplots()
    axes.axis("off")
    axes.text(0.5, 0.9, title, ha="center", va="top", weight="bold", transform=axes.transAxes)
    axes.text(0.5, 0.5, text, ha="center", va="top", wrap=True, transform=axes.transAxes)
    return figure, axes


def save(figure: Figure, png: str | Path, pdf: str | Path, style: Style) -> None:
    """Write the figure as PNG (256 colours) and PDF; the same figure gives the same bytes."""
    with use_style(style):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=style.dpi)
        figure.set_layout_engine("none")  # the layout is done: keep it for the PDF
        with Image.open(buffer) as image, atomic_path(png) as temporary:
            reduced = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            reduced.save(temporary, optimize=True)
        with atomic_path(pdf) as temporary:
            figure.savefig(temporary, dpi=max(style.dpi, 200), metadata=_PDF_METADATA)
