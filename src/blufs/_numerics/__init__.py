"""Arrays in, arrays out: graphs, eigenvectors, projections. Nothing here knows an estimator."""
