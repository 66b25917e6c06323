"""The manifests are what a cluster takes, and what they start is locked down. Needs no cluster."""

import re
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from tests.deploy.manifests import (
    FOLDER,
    ROOT,
    at,
    built,
    container,
    of_kind,
    pod,
    rows,
    settings,
    words,
)

DEPLOYMENTS = ("target", "locust", "worker")
NEWEST = kubernetes_validate.latest_version()
# The first with Pod Security, which the namespace asks for, is 1.25: no older schema is at hand.
OLDEST = "1.25"


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_every_document_is_one_of_its_schema(version: str) -> None:
    """Strictly: a field that the cluster does not know is an error, as a misspelt one would be."""
    for document in built():
        kubernetes_validate.validate(document, version, strict=True)


def test_a_field_that_is_misspelt_would_be_found() -> None:
    """The check of the schema checks something."""
    document = yaml.safe_load((FOLDER / "namespace.yaml").read_text()) | {"sepc": {}}
    with pytest.raises(kubernetes_validate.ValidationError, match="sepc"):
        kubernetes_validate.validate(document, NEWEST, strict=True)


def test_every_file_of_the_folder_is_built_and_lies_in_the_namespace() -> None:
    """Nothing is left out, and nothing is put elsewhere."""
    kustomization = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
    files = {path.name for path in FOLDER.iterdir()}
    assert files == {*kustomization["resources"], "kustomization.yaml"}
    assert set(of_kind("Deployment")) == set(DEPLOYMENTS)
    assert set(of_kind("Namespace")) == {"aftershock"}
    for document in built():
        if document["kind"] != "Namespace":
            assert at(document, "metadata.namespace") == "aftershock"


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_pod_can_do_what_it_needs_and_no_more(name: str) -> None:
    """Not root, nothing to gain, a root file system that is read-only, no key to the cluster."""
    assert at(pod(name), "spec.securityContext.runAsNonRoot") is True
    assert at(pod(name), "spec.securityContext.runAsUser") == 1000
    assert at(pod(name), "spec.securityContext.seccompProfile.type") == "RuntimeDefault"
    assert at(pod(name), "spec.automountServiceAccountToken") is False
    assert container(name)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert not rows(pod(name), "spec.initContainers")
    for outside in ("hostNetwork", "hostPID", "hostIPC"):
        assert at(pod(name), f"spec.{outside}") is None
    mounts = {str(mount["mountPath"]) for mount in rows(container(name), "volumeMounts")}
    assert mounts == ({"/runs"} if name == "locust" else set()) | {"/tmp"}  # noqa: S108 its own


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_pod_has_limits(name: str) -> None:
    """No service can starve the node; the file system in memory or on disk has a size, too."""
    for bound in ("requests", "limits"):
        assert set(words(container(name), f"resources.{bound}")) == {"cpu", "memory"}
    for volume in rows(pod(name), "spec.volumes"):
        assert at(volume, "emptyDir.sizeLimit") or at(volume, "persistentVolumeClaim.claimName")
    seconds = at(pod(name), "spec.terminationGracePeriodSeconds")
    assert isinstance(seconds, int)
    assert 5 <= seconds <= 10


def test_limits_are_those_of_the_compose_stack() -> None:
    """What was measured there holds here."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    for name in DEPLOYMENTS:
        there = at(compose, f"services.{name}.deploy.resources.limits")
        here = words(container(name), "resources.limits")
        assert float(here["cpu"]) == float(str(at(there, "cpus")))
        assert here["memory"] == f"{at(there, 'memory')}i"


def test_no_token_is_in_the_folder() -> None:
    """It is a Secret that the user makes; without it the pods do not start."""
    assert not of_kind("Secret")
    assert "secretGenerator" not in (FOLDER / "kustomization.yaml").read_text()
    for name in ("target", "locust"):
        assert settings(name)["AFTERSHOCK_ADMIN_TOKEN"] == "secret:aftershock-admin/token"
        keys = [at(row, "valueFrom.secretKeyRef") for row in rows(container(name), "env")]
        assert not any(at(key, "optional") for key in keys)
    # A worker has none: it does not act on the target.
    assert "secret" not in str(pod("worker")).lower()


def test_the_command_of_the_documentation_makes_that_secret() -> None:
    """The name and the key that the pods ask for, and no line feed at the token's end."""
    page = (ROOT / "docs" / "kubernetes.md").read_text()
    command = re.search(r"printf .*?/dev/stdin", page, re.DOTALL)
    assert command is not None
    assert "create secret generic aftershock-admin" in command[0]
    assert "--from-file=token=/dev/stdin" in command[0]


def test_the_image_is_the_version_of_the_package() -> None:
    """It is pinned, and the documentation builds what the manifests run."""
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    image = f"aftershock:{version[1]}"
    assert {container(name)["image"] for name in DEPLOYMENTS} == {image}
    assert f"docker build -t {image} ." in (ROOT / "docs" / "kubernetes.md").read_text()


def test_the_files_that_the_documentation_names_are_there() -> None:
    """Every path of the repository in a command exists."""
    page = (ROOT / "docs" / "kubernetes.md").read_text()
    paths = set(re.findall(r"\bdeploy/[\w./-]*\w", page))
    assert FOLDER.relative_to(ROOT).as_posix() in paths
    assert [path for path in sorted(paths) if not Path(ROOT, path).exists()] == []
