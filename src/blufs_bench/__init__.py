"""The benchmark of :mod:`blufs`: everything that Snakemake calls.

``registry`` and ``datasets`` (what there is) -> ``plan`` (what to run) -> ``stages`` (the work of the
jobs) -> ``results`` (what is stored) -> ``compare`` (what it says) -> ``show`` (tables, figures, page).
"""
