"""A service as people have them, to stand behind a proxy."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse

app = FastAPI()
state = {"left": 0}


@app.get("/answer")
async def answer() -> dict[str, int]:
    """Small and quick."""
    return {"answer": 42}


@app.get("/stream")
async def stream(size: int) -> StreamingResponse:
    """So many bytes, chunked."""

    async def parts() -> AsyncIterator[bytes]:
        left = size
        while left:
            part = bytes(min(left, 65_536))
            left -= len(part)
            yield part

    return StreamingResponse(parts(), media_type="application/octet-stream")


@app.get("/events")
async def events() -> StreamingResponse:
    """One every 50 ms, for ever."""

    async def parts() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"data: x\n\n"
                await asyncio.sleep(0.05)
        finally:
            state["left"] += 1

    return StreamingResponse(parts(), media_type="text/event-stream")


@app.get("/left")
async def left() -> dict[str, int]:
    """How many listeners to events have left."""
    return state


@app.get("/empty", status_code=204)
async def empty() -> None:
    """Nothing."""


@app.get("/unchanged")
async def unchanged() -> Response:
    """The length of what there would be."""
    return Response(status_code=304, headers={"etag": '"a"'})


@app.websocket("/echo")
async def echo(socket: WebSocket) -> None:
    """Say all bytes again; the text `who` tells the headers, `close` closes."""
    await socket.accept(subprotocol=next(iter(socket.scope["subprotocols"]), None))
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                break
            if message.get("text") == "who":
                headers = [(n.decode(), v.decode()) for n, v in socket.scope["headers"]]
                await socket.send_json({"headers": headers, "query": socket.url.query})
            elif message.get("text") == "close":
                await socket.close(4000)
                break
            else:
                await socket.send_bytes(message["bytes"])
    except WebSocketDisconnect:
        pass


@app.websocket("/closed-door")
async def closed_door(socket: WebSocket) -> None:
    """Refuse the upgrade."""
    await socket.close()


@app.api_route("/{_:path}", methods=["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
async def seen(request: Request) -> dict[str, Any]:
    """What has come."""
    digest, size = hashlib.sha256(), 0
    async for part in request.stream():
        digest.update(part)
        size += len(part)
    return {
        "method": request.method,
        "headers": [(n.decode("latin-1"), v.decode("latin-1")) for n, v in request.headers.raw],
        "size": size,
        "sha256": digest.hexdigest(),
    }
