"""Import this before anything else in a job that fits or scores: the job starts a third sooner.

scikit-learn imports pandas where it is installed. Nothing in such a job needs it, so it is hidden
while scikit-learn is imported; a user's own method finds it as ever.
"""

import sys

if "pandas" not in sys.modules:
    sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        import sklearn.utils  # noqa: F401
    finally:
        del sys.modules["pandas"]
