"""Why a default, a rule or a formula is what it is."""
