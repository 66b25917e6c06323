"""Somebody else's service with the gate as middleware, for a server that knows nothing of us."""

from fastapi import FastAPI

from target_service import CapacityGate

app = FastAPI()
app.add_middleware(CapacityGate, enabled=True, capacity="1000/s", tick="20ms")


@app.get("/work")
async def work() -> dict[str, str]:
    """Some work."""
    return {"work": "done"}
