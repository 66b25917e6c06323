"""Every series and figure of a run as CSV and Parquet."""
