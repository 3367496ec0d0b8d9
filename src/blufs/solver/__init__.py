"""The solver of BLUFS, as the paper has it (J. Liu, Ju, Xiu, W. Liu, arXiv 2505.20563).

Equation numbers in this package are those of the paper. Its symbols here:

=================  =====================  =======================================  =============
paper              code                   meaning                                  shape in code
=================  =====================  =======================================  =============
X (d x n)          X, ``data``            samples, scaled; transposed here         (n, d)
W                  ``W``, ``support``     projection; only its non-zero rows       (s, c)
                   ``A``                  columns of X on the support              (n, s)
W' X               ``Z``                  projected samples; transposed here       (n, c)
Y                  ``Y``                  pseudo-labels, Y'Y = I                   (n, c)
S-hat              ``S``                  normalised similarity of the samples     (n, n)
P                  ``P``                  learned graph, columns on the simplex    (n, n)
                   ``P.p``                its non-zeros: row j is column j of P    (n, k)
V                  ``V``                  squared distances along the graph        (n, k)
L_P                                       Laplacian of (P + P') / 2                (n, n)
                   ``M``                  I + 2 beta L_P                           (n, n)
                   ``H``, ``B``           quadratic and linear term of the W block (d, d), (d, c)
alpha, beta, mu    the same               weights of S, of the graph, of ||P||^2
lambda             ``lam``                weight of ||W||^2
tau_1 .. tau_3     ``tau``                proximal weight, the same for P, W and Y
s, c, k            the same               features, clusters, neighbours
theta, rho, xi     ``theta, radius,       penalty, ball and step of Algorithm 2
                   step``
=================  =====================  =======================================  =============

- :mod:`~blufs.solver.model`: the model, eq. (16): problem, variables, value;
- :mod:`~blufs.solver.operators`: M, and S with the learned graph mixed in;
- :mod:`~blufs.solver.p_block`: P, eq. (20);
- :mod:`~blufs.solver.w_block`: W, eq. (28), with the search for its support in
  :mod:`~blufs.solver.pursuit` and :mod:`~blufs.solver.exchange`;
- :mod:`~blufs.solver.y_block`: Y, eq. (31), and Algorithm 2;
- :mod:`~blufs.solver.start`: where the sweeps start;
- :mod:`~blufs.solver.sweeps`: Algorithm 1.
"""
