"""Pictures of selections. They need matplotlib; each returns the axes that it drew on."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from blufs.sizes import elbow
from blufs.stability import StabilitySelector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLORS = {
    "included": "tab:purple",
    "chosen": "tab:blue",
    "redundant": "tab:orange",
    "low score": "0.6",
    "excluded": "0.85",
    "constant": "0.85",
}


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from error
    return plt.subplots(layout="constrained")[1]


def _columns(table: Any, wanted: Sequence[str], made_by: str) -> None:
    """Raise unless the table has these columns."""
    if not hasattr(table, "__getitem__") or any(name not in table for name in wanted):
        kind = type(table).__name__
        raise ValueError(f"this draws the table that {made_by} returned, with {wanted}; got {kind}")


def _most(most: Any) -> int:
    """A number of features to draw."""
    if isinstance(most, bool) or not isinstance(most, Integral) or most < 1:
        raise ValueError(f"most must be a positive number of features, got {most!r}")
    return int(most)


def plot_path(table: Any, ax: Axes | None = None) -> Axes:
    """Draw what :func:`blufs.path` returned: its shares and criteria against s.

    The dotted line is the elbow of the explained share, after which it rises least.
    """
    _columns(table, ("s", "explained", "criterion", "criterion_spread", "stability"), "path")
    ax = _axes(ax)
    s = np.asarray(table["s"])
    ax.plot(s, table["explained"], "o-", label="variance explained")
    criterion, spread = np.asarray(table["criterion"]), np.asarray(table["criterion_spread"])
    (line,) = ax.plot(s, criterion, "s-", label="clusters keep neighbours together")
    ax.fill_between(s, criterion - spread, criterion + spread, color=line.get_color(), alpha=0.2)
    stability = np.asarray(table["stability"])
    if np.isfinite(stability).any():
        ax.plot(s, stability, "^-", label="stability on halves of the samples")
    best = elbow(s, np.asarray(table["explained"]))
    ax.axvline(best, color="0.5", ls=":", label=f"elbow: s = {best}")
    ax.set(xlabel="number of features s", ylabel="share or index", ylim=(None, 1.02))
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def _name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Names of features as they are: a dollar in them begins no formula."""
    ax.set_yticks(np.arange(len(names)), names, parse_math=False)


def plot_explain(table: Any, most: int = 20, value: str | None = None, ax: Axes | None = None):
    """Draw what ``explain`` returned: the features of best rank, the first one on top.

    Parameters
    ----------
    table : DataFrame or dict of arrays
    most : int, default=20
        Number of features.
    value : str, optional
        The column to draw; ``gain`` where there is one, else ``score``.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    _columns(table, ("rank", "status", "score", *([] if value is None else [value])), "explain")
    value = value or ("gain" if "gain" in table else "score")
    if np.asarray(table[value]).dtype.kind not in "fiu":
        raise ValueError(f"the column {value!r} holds no numbers to draw")
    ax = _axes(ax)
    names = np.asarray(table.index if hasattr(table, "index") else table["feature"])
    first = np.argsort(np.asarray(table["rank"]))[: _most(most)]
    status = np.asarray(table["status"])[first]
    values = np.nan_to_num(np.asarray(table[value], dtype=float)[first])
    for kind in dict.fromkeys(status):
        places = np.flatnonzero(status == kind)
        ax.barh(places, values[places], color=_COLORS[kind], label=kind)
    _name_rows(ax, [str(name) for name in names[first]])
    ax.invert_yaxis()
    ax.set(xlabel=value, ylabel="feature, best first")
    ax.legend()
    return ax


def plot_stability(selector: StabilitySelector, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw how often a fitted :class:`~blufs.StabilitySelector` saw each feature chosen.

    The features chosen most often come first; lines are the intervals of their shares, the dashed
    line is the threshold.
    """
    if not isinstance(selector, StabilitySelector):
        raise TypeError(f"this draws a fitted StabilitySelector, got {type(selector).__name__}")
    check_is_fitted(selector)
    ax = _axes(ax)
    first = np.argsort(-selector.frequencies_, kind="stable")[: _most(most)]
    shares, kept = selector.frequencies_[first], selector.support_[first]
    reach = np.abs(selector.intervals_[first] - shares[:, None]).T
    colors = np.where(kept, _COLORS["chosen"], _COLORS["low score"])
    ax.barh(np.arange(len(first)), shares, xerr=reach, color=colors, ecolor="0.3")
    names = getattr(selector, "feature_names_in_", None)
    labels = [f"x{j}" if names is None else str(names[j]) for j in first]
    _name_rows(ax, labels)
    ax.invert_yaxis()
    ax.axvline(selector.threshold, color="k", ls="--", label=f"threshold {selector.threshold:g}")
    ax.set(xlabel="share of the parts on which it is chosen", xlim=(0, 1))
    ax.legend()
    return ax
