"""The kinds of data that a dataset can be of: a closed list, with titles for tables and figures."""

from __future__ import annotations

#: Key in a definition -> title for readers, in the order in which tables list them.
DOMAINS = {
    "image": "Images",
    "gene_expression": "Gene expression",
    "single_cell": "Single cells",
    "text": "Text",
    "speech": "Speech",
    "spectra": "Mass spectra",
    "molecules": "Molecules",
    "measurements": "Measurements",
    "artificial": "Artificial",
    "other": "Other",
}
#: Domain of a dataset that names none.
DEFAULT_DOMAIN = "other"
