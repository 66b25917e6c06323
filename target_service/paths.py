"""Where an app is mounted does not change what its paths mean."""

from starlette.types import Scope


def path_below_mount(scope: Scope) -> str:
    """The path as the app routes it: without the place at which the app is mounted, if any."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    if root and path.startswith(root) and path[len(root) : len(root) + 1] in {"", "/"}:
        return path[len(root) :]
    return path
