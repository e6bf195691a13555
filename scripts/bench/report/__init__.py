"""Measures every row of its tables beside a comparator, and writes a report. Run by scripts/bench/report/run."""
