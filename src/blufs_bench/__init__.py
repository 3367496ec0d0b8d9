"""The benchmark of :mod:`blufs`: everything that Snakemake calls.

``registry`` and ``datasets`` say what there is, ``plan`` what to run; ``stages`` do the work of the
jobs; ``results`` holds what is stored, ``compare`` what it says; ``show`` makes tables and pages.
"""
