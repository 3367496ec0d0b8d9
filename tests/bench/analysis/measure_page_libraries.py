"""What libraries for interactive pages would cost the report: bytes of a page and seconds to draw.

    pip install plotly altair vl-convert-python itables
    python -m tests.bench.analysis.measure_page_libraries

Every page works offline and shows the numbers of the view that the page of a suite as large as
``wide`` opens with: 20 methods, 26 datasets, 3 numbers of features. It holds the leaderboard
(itables), or score against time, curves over s and the heat map (plotly, altair), or all of these
with average ranks, the matrix of pairs and every other view (our own). "Drawn" is the first
frame that has all of it; both times are medians of five loads.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from importlib.resources import files
from pathlib import Path

import pandas as pd

from blufs_bench.compare.summary import summarise
from blufs_bench.results import load
from blufs_bench.show.page.assets import SCRIPTS, asset
from blufs_bench.show.page.data import COLUMNS, find_view, first_view, page_data
from blufs_bench.show.page.page import render
from blufs_bench.show.page.provenance import provenance
from tests.helpers.browser import open_browser, wait
from tests.helpers.wide_suite import drawn_suite

LOADS = 5
#: What a page shows at the end, and how often.
LAST = {
    "plotly": (".plotly-graph-div .modebar", 3),
    "altair": ("canvas.marks, svg.marks", 1),
    "itables": ("table.dataTable tbody td:not(.dt-empty)", 10),
    "own": ("#picture-heat td", 500),
}
WATCH = """
const watch = () => {
  if (document.querySelectorAll(%s).length >= %d) window.drawnAt = performance.now();
  else requestAnimationFrame(watch);
};
requestAnimationFrame(watch);
"""
TIMES = """
const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
return paint && window.drawnAt ? [paint, window.drawnAt] : null;
"""


def frames(data: dict) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The leaderboard, the curves and the heat map of the first view."""
    key = first_view(data)
    view = find_view(data, key)
    board = pd.DataFrame(view["rows"], columns=COLUMNS).assign(method=view["methods"])
    curves = [
        (dataset, method, s, value)
        for dataset, methods in data["curves"][key["metric"]][key["choice"]].items()
        for method, points in methods.items()
        for s, value, *_ in points
    ]
    curve = pd.DataFrame(curves, columns=["dataset", "method", "s", "value"])
    mean = curve.groupby(["method", "s"], as_index=False)["value"].mean()
    cells = data["cells"][key["metric"]][key["choice"]][key["score"]]
    heat = pd.DataFrame(cells).T.rename_axis("dataset").reset_index()
    return board, mean, heat.melt("dataset", var_name="method", value_name="value")


def plotly_page(board: pd.DataFrame, curves: pd.DataFrame, heat: pd.DataFrame) -> str:
    from plotly import express

    wide = heat.pivot(index="dataset", columns="method", values="value")
    figures = [
        express.scatter(board, x="seconds", y="mean", text="method", log_x=True),
        express.line(curves, x="s", y="value", color="method"),
        express.imshow(wide),
    ]
    first, *others = figures
    parts = [first.to_html(include_plotlyjs=True, full_html=False)]
    parts += [figure.to_html(include_plotlyjs=False, full_html=False) for figure in others]
    return "".join(parts)


def altair_page(board: pd.DataFrame, curves: pd.DataFrame, heat: pd.DataFrame) -> str:
    import altair

    dots = altair.Chart(board).encode(x=altair.X("seconds").scale(type="log"), y="mean")
    charts = [
        dots.mark_point() + dots.mark_text().encode(text="method"),
        altair.Chart(curves).mark_line().encode(x="s", y="value", color="method"),
        altair.Chart(heat).mark_rect().encode(x="method", y="dataset", color="value"),
    ]
    return altair.vconcat(*charts).to_html(inline=True)


def itables_page(board: pd.DataFrame, *_: pd.DataFrame) -> str:
    from itables import to_html_datatable
    from itables.javascript import generate_init_offline_itables_html

    bundle = files("itables") / "html" / "dt_bundle.js"
    script = generate_init_offline_itables_html(Path(str(bundle)))
    return script + to_html_datatable(board, connected=False)


def measure(path: Path, profile: str) -> dict[str, float]:
    """Megabytes, and the seconds until the first paint and until all is drawn."""
    found = []
    selector, count = LAST[path.stem]
    script = {"source": WATCH % (json.dumps(selector), count)}
    with open_browser(profile) as browser:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script)
        for _ in range(LOADS):
            browser.get("about:blank")
            browser.get(path.as_uri())
            found.append(wait(browser, lambda: browser.execute_script(TIMES)))
    paint, drawn = (statistics.median(times) / 1000 for times in zip(*found, strict=True))
    return {
        "megabytes": round(path.stat().st_size / 1e6, 2),
        "first_paint_s": round(paint, 2),
        "drawn_s": round(drawn, 2),
    }


def main() -> None:
    home = Path(tempfile.mkdtemp())
    folder, suite = drawn_suite("wide", home / "wide")
    results = load(folder)
    found = summarise(results, suite)
    shown = frames(page_data(results, suite, found["views"]))
    pages = {"plotly": plotly_page, "altair": altair_page, "itables": itables_page}
    texts = {name: make(*shown) for name, make in pages.items()}
    texts["own"] = render(results, suite, statistics=found, provenance=provenance({}))
    measured = {}
    for name, text in texts.items():
        path = home / f"{name}.html"
        head = "" if "<html" in text else "<!DOCTYPE html><meta charset='utf-8'>"
        path.write_text(head + text, encoding="utf-8")
        measured[name] = measure(path, str(home / f"profile-{name}"))
    own = sum(len(asset(name).encode()) for name in SCRIPTS)
    print(json.dumps(measured | {"own_scripts_kilobytes": round(own / 1e3, 1)}, indent=2))


if __name__ == "__main__":
    main()
