"""`python -m reports runs/<id>` is `aftershock report runs/<id>`."""

import typer

from reports.verbs.report import report

app = typer.Typer(add_completion=False)
app.command()(report)

if __name__ == "__main__":
    app(prog_name="python -m reports")
