"""What a path means: mounting an app does not change it, and some rules are for whole subtrees."""

from collections.abc import Iterable

from starlette.types import Scope


def path_below_mount(scope: Scope) -> str:
    """The path as the app routes it: without the place at which the app is mounted, if any."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    if root and path.startswith(root) and path[len(root) : len(root) + 1] in {"", "/"}:
        return path[len(root) :]
    return path


class Subtrees:
    """Some paths, and all that is below them."""

    __slots__ = ("_at", "_below")

    def __init__(self, paths: Iterable[str]) -> None:
        """Without a slash at their ends."""
        self._at = frozenset(paths)
        self._below = tuple(f"{path}/" for path in self._at)

    def __contains__(self, path: str) -> bool:
        return path in self._at or path.startswith(self._below)
