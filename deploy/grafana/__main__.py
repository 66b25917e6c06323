"""``python -m deploy.grafana``: writes the dashboard anew, from the folder of the checkout."""

from pathlib import Path

from deploy.grafana.dashboard import build, to_text

FILE = Path(__file__).parent / "dashboards" / "aftershock.json"

if __name__ == "__main__":
    FILE.write_text(to_text(build()), encoding="utf-8")
