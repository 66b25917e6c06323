r"""A service of your own with the gate in it: off unless the environment switches it on.

AFTERSHOCK_GATE=on uvicorn examples.gated_service:app --port 8080
aftershock run --target http://127.0.0.1:8080 --admin-url http://127.0.0.1:8080/aftershock \
    --path /orders --rate 150/s --policy full-jitter
"""

import asyncio

from fastapi import FastAPI

from target_service import CapacityGate

app = FastAPI(title="Orders")
# Fifty workers, as many attempts at once; the service time is the app's own.
app.add_middleware(CapacityGate, workers="50", capacity="500/s", open_paths=["/healthz"])


@app.get("/orders")
async def orders() -> list[str]:
    """What the service does: a tenth of a second of it."""
    await asyncio.sleep(0.1)
    return ["tea", "biscuits"]


@app.get("/healthz")
async def healthz() -> dict[str, str]:
    """The app's own health check, which never passes the gate."""
    return {"status": "ok"}
