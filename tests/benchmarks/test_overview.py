"""The picture of the README, from a leaderboard with known numbers."""

from pathlib import Path

import matplotlib.pyplot as plt

from benchmarks.publish import overview
from benchmarks.publish.kept import Kept
from blufs_bench.results.vocabulary import METRICS


class Known(Kept):
    def __init__(self):
        self.folder = Path("kept nowhere")

    def title(self, name):
        return name

    def methods(self, metric, choice):
        rows = {
            "BLUFS": {"gain": 8.0, "low": 5.0, "high": 11.0},
            "MCFS": {"gain": 3.0, "low": -1.0, "high": 7.0},
            "AllFeatures": {"gain": -2.0, "low": -4.0, "high": 0.0},
            "RandomFeatures": {"gain": None, "low": None, "high": None},
        }
        return {name: row | {"n_datasets": 10} for name, row in rows.items()}


def test_the_picture_shows_every_method_but_random_features_best_first():
    figure = overview.draw(Known())
    panels = figure.axes
    assert [axes.get_title() for axes in panels] == [METRICS[m].title for m in overview.SHOWN]
    labels = [label.get_text() for label in panels[0].get_yticklabels()]
    assert labels == ["AllFeatures", "MCFS", "BLUFS"]
    gains = [line.get_xdata()[0] for line in panels[0].lines if line.get_marker() == "o"]
    assert gains == [-2.0, 3.0, 8.0]
    plt.close(figure)
