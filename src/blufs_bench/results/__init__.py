"""The hinge between stages and analysis: the words, columns and files of the results."""
