"""The numerics of BLUFS: one module per block of the alternating minimisation.

- :mod:`~blufs.solver.objective`: the model and its value;
- :mod:`~blufs._numerics.matrix`: the scaled data matrix, never copied;
- :mod:`~blufs.solver.p_step`, :mod:`~blufs.solver.w_step`, :mod:`~blufs.solver.y_step`: the blocks;
- :mod:`~blufs.solver.pursuit`, :mod:`~blufs.solver.exchange`: the search for the support of W;
- :mod:`~blufs.solver.start`: where the sweeps start;
- :mod:`~blufs.solver.sweeps`: the sweeps over the blocks.
"""
