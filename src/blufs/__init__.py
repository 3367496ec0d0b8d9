"""Unsupervised feature selection: BLUFS and the methods it is compared with.

Every selector is a scikit-learn estimator::

    from blufs import BLUFS

    X_selected = BLUFS(n_features_to_select=20, n_clusters=10).fit_transform(X)
"""

from blufs import plot
from blufs._numerics.graph import SampleGraph
from blufs._numerics.views import sample_graph
from blufs.anndata import select_genes
from blufs.base import BaseSelector, GraphSelector, MethodLimitError, Solution
from blufs.methods.all_features import AllFeatures
from blufs.methods.blfse import BLFSE
from blufs.methods.blsfs import BLSFS
from blufs.methods.blufs import BLUFS, BLUFSVariant
from blufs.methods.bsufs import BSUFS
from blufs.methods.dscofs import DSCOFS
from blufs.methods.fsca import FSCA
from blufs.methods.fspca import FSPCA
from blufs.methods.genebasis import GeneBasis
from blufs.methods.lapscore import LapScore
from blufs.methods.max_variance import MaxVariance
from blufs.methods.mcfs import MCFS
from blufs.methods.ndfs import NDFS
from blufs.methods.pivoted_qr import PivotedQR
from blufs.methods.random_features import RandomFeatures
from blufs.methods.rne import RNE
from blufs.methods.sogfs import SOGFS
from blufs.methods.spcafs import SPCAFS
from blufs.methods.spcapsd import SPCAPSD
from blufs.methods.spdfs import SPDFS
from blufs.methods.udfs import UDFS
from blufs.methods.vcsdfs import VCSDFS
from blufs.metrics import clustering_accuracy, normalized_mutual_info
from blufs.search import BlindSearch
from blufs.sizes import path
from blufs.stability import StabilitySelector

__version__ = "0.2.0"

__all__ = [
    "BLFSE",
    "BLSFS",
    "BLUFS",
    "BSUFS",
    "DSCOFS",
    "FSCA",
    "FSPCA",
    "MCFS",
    "NDFS",
    "RNE",
    "SOGFS",
    "SPCAFS",
    "SPCAPSD",
    "SPDFS",
    "UDFS",
    "VCSDFS",
    "AllFeatures",
    "BLUFSVariant",
    "BaseSelector",
    "BlindSearch",
    "GeneBasis",
    "GraphSelector",
    "LapScore",
    "MaxVariance",
    "MethodLimitError",
    "PivotedQR",
    "RandomFeatures",
    "SampleGraph",
    "Solution",
    "StabilitySelector",
    "__version__",
    "clustering_accuracy",
    "normalized_mutual_info",
    "path",
    "plot",
    "sample_graph",
    "select_genes",
]
