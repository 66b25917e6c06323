"""A file named as a policy: on the command line, in a scenario, in a user class."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from loadtests.imports import PolicyFileError, import_policy
from loadtests.policies import preset
from loadtests.policy_names import (
    file_remarks,
    is_policy_file,
    parse_policy,
    policy_file,
)
from loadtests.policy_pages.terminal import render_import
from loadtests.scenario import PolicyChoice, ScenarioError, choose_policy, parse_scenario
from tests.loadtests.imports.written import EXAMPLES

GRPC = str(EXAMPLES / "service_config.json")


def test_a_scenario_keeps_the_preset_with_its_parameters() -> None:
    """Its record can be read without the file; the lane is called as the file is."""
    scenario = parse_scenario({"policies": [{"name": f"{GRPC}#shop.Orders/Get"}]})
    [choice] = scenario.policies
    assert (choice.name, choice.lane_name) == ("grpc-a6", "service_config#shop.Orders/Get")
    dumped = json.loads(json.dumps(scenario.model_dump(mode="json", by_alias=True)))
    assert "json" not in str(dumped["policies"])
    assert parse_scenario(dumped).policies == scenario.policies
    assert choice.source() == preset(
        "grpc-a6",
        max_attempts=4, initial_backoff_s=0.1, max_backoff_s=1, multiplier=2,
        codes=["UNAVAILABLE", "RESOURCE_EXHAUSTED"], max_tokens=10, token_ratio=0.1, timeout_s=5,
    )  # fmt: skip


def test_parameters_of_ones_own_win() -> None:
    """By their full names or short; the lane can be said too."""
    name = f"{GRPC}#shop.Catalogue"
    values = {"name": name, "max_backoff": "3s", "timeout_s": 9, "lane": "mine", "clients": 1}
    choice = PolicyChoice.model_validate(values)
    assert choice.lane_name == "mine"
    source = choice.source()
    assert (getattr(source, "max_backoff_s", 0), getattr(source, "timeout_s", 0)) == (3.0, 9.0)
    assert "max_backoff_s" not in (choice.model_extra or {})


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("a.json", ("a.json", {})),
        ("envoy.yaml#shop:80/x", ("envoy.yaml#shop:80/x", {})),
        ("a.json:max_attempts=3,codes=OK+ABORTED", (
            "a.json", {"max_attempts": "3", "codes": "OK+ABORTED"},
        )),
        ("e.yaml#shop:80/x:num_retries=3", ("e.yaml#shop:80/x", {"num_retries": "3"})),
        ("envoy-1.40:rate_limited_reset=a/b", ("envoy-1.40", {"rate_limited_reset": "a/b"})),
    ],
)  # fmt: skip
def test_text_names_a_file(text: str, parsed: tuple[str, dict[str, object]]) -> None:
    """With parameters after a colon; a name chosen in the file may have colons of its own."""
    assert parse_policy(text) == parsed


def test_the_command_line_names_a_file() -> None:
    """As it names a preset."""
    assert choose_policy(f"{EXAMPLES / 'linkerd-route.yaml'}").lane_name == "linkerd-route"
    source = choose_policy(f"{GRPC}#shop.Catalogue:max_attempts=2").source()
    assert getattr(source, "max_attempts", 0) == 2


def test_a_user_class_names_a_file() -> None:
    """Its policy is called as the file is."""
    policy = policy_file(GRPC, select="shop.Search")
    assert policy.name == "service_config#shop.Search"
    assert policy == policy_file(f"{GRPC}#shop.Search")
    assert policy.describe() == policy.preset.describe() == policy.build().describe()
    assert hash(policy) == hash(policy_file(GRPC, "shop.Search"))


def test_a_lane_is_printable_and_short(tmp_path: Path) -> None:
    """Whatever the file is called."""
    path = tmp_path / f"größe\x1b{'x' * 100}.json"
    path.write_text(Path(GRPC).read_text(encoding="utf-8"), encoding="utf-8")
    choice = PolicyChoice(name=f"{path}#shop.Search")
    assert choice.lane_name.startswith("gr__e_xxx")
    assert len(choice.lane_name) == 64


def test_what_is_wrong_with_a_file_is_said_where_it_is_named() -> None:
    """With the file's name, and without a traceback."""
    with pytest.raises(ScenarioError, match=r"nowhere\.json: No such file"):
        parse_scenario({"policies": [{"name": "nowhere.json"}]})
    with pytest.raises(ScenarioError, match=r"policies\.0: .*choose by FILE#NAME"):
        parse_scenario({"policies": [{"name": GRPC}]})
    with pytest.raises(ScenarioError, match="grpc-a6 has no parameter 'tries'"):
        parse_scenario({"policies": [{"name": f"{GRPC}#shop.Catalogue", "tries": 2}]})
    with pytest.raises(PolicyFileError, match="is called 'nope'"):
        policy_file(EXAMPLES / "istio.yaml", "nope")


def test_the_environment_is_a_policy_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """`aws-env` is what botocore runs here."""
    monkeypatch.setenv("AWS_RETRY_MODE", "legacy")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "2")
    assert PolicyChoice(name="aws-env").source() == preset("botocore-legacy", max_attempts=2)


def test_what_is_left_out_is_said() -> None:
    """Where a run names the file; of a preset there is nothing to say."""
    [remark] = file_remarks(f"{GRPC}#shop.Search")
    assert remark.endswith(
        "left out methodConfig[1].waitForReady: no connection is waited for here"
    )
    assert file_remarks("full-jitter") == []
    assert not is_policy_file("full-jitter")
    assert not is_policy_file("pkg.mod:make")


def test_a_hostile_file_name_is_printable_in_what_is_said(tmp_path: Path) -> None:
    """In a run's remarks as in what an import shows."""
    path = tmp_path / "\x1b[31mx.json"
    path.write_text(Path(GRPC).read_text(encoding="utf-8"), encoding="utf-8")
    [remark] = file_remarks(f"{path}#shop.Search")
    assert remark.isprintable()
    console = Console(file=io.StringIO(), width=80, no_color=True)
    render_import(import_policy(path, "shop.Search"), console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert text.startswith("\\x1b[31mx#shop.Search, gRPC")
    assert text.replace("\n", "").isprintable()
