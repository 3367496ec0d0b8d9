"""Import this before anything else in a job that fits or scores: the job starts a third sooner.

scikit-learn imports pandas and rich where they are installed. Nothing in such a job needs them, so
they are hidden while scikit-learn is imported; a user's own method finds them as ever. The garbage
collector frees nothing while modules are loaded: it pauses, and passes over them from then on.
"""

import gc
import sys

_HIDDEN = [name for name in ("pandas", "rich") if name not in sys.modules]

sys.modules.update(dict.fromkeys(_HIDDEN))  # type: ignore[arg-type]
gc.disable()
try:
    import sklearn.neighbors  # noqa: F401  # with all that every job needs of it
finally:
    gc.enable()
    gc.freeze()
    for name in _HIDDEN:
        del sys.modules[name]
