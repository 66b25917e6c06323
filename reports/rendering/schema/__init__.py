"""`docs/report.schema.json` and the table of its fields, made of what the report is made of."""
