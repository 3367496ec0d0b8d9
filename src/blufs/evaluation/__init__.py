"""How good a selection is: with labels (ACC, NMI, k-NN accuracy) and without (criteria)."""
