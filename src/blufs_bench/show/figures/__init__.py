"""Figures: each is a function of the results that returns the figure and its axes."""
