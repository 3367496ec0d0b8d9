"""All that selections are scored with.

Imported when the first selection is scored: a job that has none to score ends before scikit-learn
would be loaded.
"""

import blufs.workflow.run.without_pandas  # noqa: F401 (first)
from blufs.evaluation.classification import classification_accuracy
from blufs.evaluation.clustering import cluster, score_partitions
from blufs.tuning import label_free_criteria

__all__ = ["classification_accuracy", "cluster", "label_free_criteria", "score_partitions"]
