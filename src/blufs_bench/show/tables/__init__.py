"""Tables: each is a function of the results that returns a ``Table``."""
