"""Runs once before the services: makes the admin token, and lets them write into runs/.

This is the only part of the stack that is root, and it has no network. A bind mount belongs to
whoever owns the folder on the host, or to root where the engine had to make it; only root can
let the services' user in, and nothing in an image can.
"""

import os
import secrets
import stat
import sys
from pathlib import Path

TOKEN_FILE = Path(os.environ["AFTERSHOCK_TOKEN_FILE"])
RUNS = Path(os.environ["AFTERSHOCK_RUNS_DIR"])
CHECKOUT = Path("/checkout")
"""A file of the checkout: its owner is the person whose folder runs/ should be."""


def make_token(uid: int, gid: int) -> None:
    """A new token at the first start, the same ever after; the services' user alone reads it."""
    if not TOKEN_FILE.exists():
        new = TOKEN_FILE.with_suffix(".new")
        new.unlink(missing_ok=True)
        new.touch(mode=0o600, exist_ok=False)
        new.write_text(secrets.token_urlsafe(32))
        new.chmod(0o400)
        new.rename(TOKEN_FILE)
    os.chown(TOKEN_FILE, uid, gid)


def open_runs(uid: int, gid: int) -> None:
    """Let the user `uid` write into runs/: as its owner, or else by its group.

    A folder that somebody has made stays theirs. One that the engine has made, as root, is given
    to the owner of the checkout, so that what runs on the host can write there too.
    """
    found = RUNS.stat()
    if found.st_uid == uid:
        return
    owner = found.st_uid or CHECKOUT.stat().st_uid or uid
    os.chown(RUNS, owner, gid)
    RUNS.chmod(stat.S_IMODE(found.st_mode) | stat.S_IRWXU | stat.S_IRWXG)


def main() -> None:
    """Prepare for the user that is named as `UID GID`."""
    uid, gid = (int(text) for text in sys.argv[1:])
    make_token(uid, gid)
    try:
        open_runs(uid, gid)
    except OSError as error:
        sys.exit(
            f"user {uid} cannot be let into the folder for runs: {error}. "
            "Set AFTERSHOCK_UID and AFTERSHOCK_GID in .env to its owner's (`id -u`, `id -g`)."
        )


if __name__ == "__main__":
    main()
