"""What `kubectl apply -k deploy/kubernetes` would send to a cluster."""

import subprocess
from functools import cache
from pathlib import Path
from typing import cast

import yaml

from tests.real import found, missing

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"

Document = dict[str, object]


@cache
def built() -> tuple[Document, ...]:
    """The documents as a real kustomize builds them."""
    kubectl = found("kubectl") or missing("kubectl", "Debian's `kubernetes-client` has it")
    done = subprocess.run(
        [kubectl, "kustomize", str(FOLDER)], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
    return tuple(yaml.safe_load_all(done.stdout))


def at(document: object, path: str) -> object:
    """What stands in a document at ``spec.template.0``; None where the path leads nowhere."""
    for step in path.split("."):
        if isinstance(document, dict):
            document = document.get(step)
        elif isinstance(document, list) and step.isdecimal() and int(step) < len(document):
            document = document[int(step)]
        else:
            return None
    return document


def rows(document: object, path: str) -> list[Document]:
    """The list of mappings at a path; empty where there is none."""
    return cast("list[Document]", at(document, path) or [])


def words(document: object, path: str) -> dict[str, str]:
    """The mapping of text to text at a path; empty where there is none."""
    return cast("dict[str, str]", at(document, path) or {})


def of_kind(kind: str) -> dict[str, Document]:
    """The documents of a kind, by name."""
    return {
        str(at(document, "metadata.name")): document
        for document in built()
        if document["kind"] == kind
    }


def pod(name: str) -> Document:
    """The pod that the deployment of this name makes."""
    return cast("Document", at(of_kind("Deployment")[name], "spec.template"))


def container(name: str) -> Document:
    """The one container of that pod."""
    (only,) = rows(pod(name), "spec.containers")
    return only


def settings(name: str) -> dict[str, str]:
    """The environment of that container; what comes from a Secret is ``secret:NAME/KEY``."""
    maps = of_kind("ConfigMap")
    variables: dict[str, str] = {}
    for source in rows(container(name), "envFrom"):
        variables |= words(maps[str(at(source, "configMapRef.name"))], "data")
    for variable in rows(container(name), "env"):
        key = at(variable, "valueFrom.secretKeyRef")
        value = f"secret:{at(key, 'name')}/{at(key, 'key')}" if key else variable["value"]
        variables[str(variable["name"])] = str(value)
    return variables
