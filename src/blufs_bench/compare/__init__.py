"""From the result files of a suite to statistics, tables, figures and the report."""
