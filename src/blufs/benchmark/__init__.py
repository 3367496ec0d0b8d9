"""The benchmark behind the workflow: plan, run, screen, choose, evaluate, collect.

The rules in ``workflow/`` only wire files; what they do is here and needs no Snakemake.
"""
