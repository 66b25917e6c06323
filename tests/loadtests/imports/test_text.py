"""Hostile and broken text: a clear refusal, whatever it is, and never another error."""

import os
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from loadtests.imports import PolicyFileError, choices, import_policy
from loadtests.imports.documents import MAX_VALUES, read_json, read_yaml
from loadtests.imports.text import MAX_BYTES
from tests.loadtests.imports.written import EXAMPLES, read, refusal

_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty"),
        ("  \n\n", "the file is empty"),
        ("# nothing\n", "not a policy file that is known"),
        ("---\n---\n", "not a policy file that is known"),
        ("just words", "gRPC service config (methodConfig)"),
        ("a: 1\na: 2", "line 2: the key 'a' stands twice"),
        ("a:\n\t- b", "line 2"),
        ("a: [b", "not YAML"),
        ("a: b: c", "line 1, column 5"),
        ("a: !!python/object/apply:os.system [ls]", "'tag:yaml.org,2002:python/object/apply:os"),
        ("a: !mine b", "the tag '!mine' is not allowed"),
        ("a: !!int x", "'x' is no int"),
        ("a: *b", "nothing is called '&b'"),
        ("a: &a [*a]", "nothing is called '&a'"),
        ("? [a]\n: b", "expected a word as a key"),
        ("<<: 3", "expected a mapping after the merge key"),
        (_BOMB, f"more than {MAX_VALUES} values"),
        ("[" * 100_000, "maximum nesting depth"),
        ("[" * 65 + "]" * 65, "nested deeper than 64 levels"),
        ("\n".join(f"{' ' * n}a:" for n in range(200)), "nested deeper than 64 levels"),
        ("a: 0x" + "f" * 5000, "is no int"),
        ("a: .inf", "'.inf' is no float"),
        ("a: \x00", "not YAML"),
        ("a: \x1b[31m", "not YAML"),
    ],
)
def test_yaml_is_refused_in_words(tmp_path: Path, text: str, problem: str) -> None:
    """With the line where there is one."""
    assert problem in str(refusal(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "line 1, column 2: not JSON"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice in one object"),
        ('{"a": NaN}', "NaN is no JSON"),
        ('{"a": ' + "9" * 5000 + "}", "digits"),
        ("[" * 100_000, "nested deeper than 64 levels"),
        ('{"a":' * 70 + "1" + "}" * 70, "nested deeper than 64 levels"),
        (f"[{'1,' * MAX_VALUES}1]", f"more than {MAX_VALUES} values"),
        ('{"a": \t"\x01"}', "not JSON"),
        ("[]", "not a policy file that is known"),
        ("3", "not a policy file that is known"),
        ('{"methodConfig": "\\ud800"}', r"methodConfig: found '\ud800': expected a list"),
        ("{'a': 1}", "not JSON"),
    ],
)
def test_json_is_refused_in_words(tmp_path: Path, text: str, problem: str) -> None:
    """Nothing of what Python's reader says is more than it should be."""
    assert problem in str(refusal(tmp_path, text, name="policy.json"))


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    text = (EXAMPLES / "service_config.json").read_text(encoding="utf-8")
    path = tmp_path / "service_config.json"
    path.write_text(text, encoding="utf-8-sig")
    assert import_policy(path, "shop.Search").preset_name == "grpc-a6-hedging"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a: ä".encode("latin-1"), "not UTF-8 at byte 3"),
        ("a: b".encode("utf-16"), "not UTF-8"),
        (b"#" * (MAX_BYTES + 1), f"larger than {MAX_BYTES} bytes"),
    ],
)
def test_bytes_that_are_no_text(tmp_path: Path, content: bytes, problem: str) -> None:
    """Another encoding, or too many of them."""
    path = tmp_path / "policy.yaml"
    path.write_bytes(content)
    with pytest.raises(PolicyFileError, match=problem):
        import_policy(path)


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    """A pipe that nobody writes to would be waited for without end."""
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, Path("/dev/zero")):
        with pytest.raises(PolicyFileError, match="not a file"):
            import_policy(path)
    with pytest.raises(PolicyFileError, match="No such file"):
        import_policy(tmp_path / "none.yaml")
    with pytest.raises(PolicyFileError, match="no such file"):
        import_policy(tmp_path / "a\0b.yaml")


def test_yaml_says_what_it_means() -> None:
    """Quoted and dated text stays text; merge keys and anchors are followed."""
    [value] = read_yaml(
        "f",
        'base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3}\nday: 2024-01-02\nquoted: "3"\n'
        "yes: no\n8: eight\nnothing: ~\nhex: 0x10\nhalf: .5\ntext: !!str 4\n",
    )
    assert value == {
        "base": {"x": 1, "y": 2},
        "use": {"x": 1, "y": 3},
        "day": "2024-01-02",
        "quoted": "3",
        "yes": False,
        "8": "eight",
        "nothing": None,
        "hex": 16,
        "half": 0.5,
        "text": "4",
    }


_SCALARS = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=20)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(_VALUES)
def test_yaml_is_read_as_pyyaml_reads_it(value: object) -> None:
    """Whatever PyYAML writes comes back, as JSON does from what JSON writes."""
    documents = read_yaml("f", yaml.safe_dump(value, allow_unicode=False))
    assert documents == ([] if value is None else [value])


def _damaged(text: str, data: st.DataObject) -> str:
    """The text with a few cuts, doublings and foreign pieces in it."""
    pieces = st.sampled_from(
        ["", "{", "[", "-1", "null", "99999999999999999999", '"', ":", "\n  ", "\x00", "&a", "*a",
         "true", "''", "0s", "${X}", "!!binary ", "ﬀ", "1e999", "- ", "<<: "]
    )  # fmt: skip
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 12))
        text = text[:at] + data.draw(pieces) + text[at + length :]
    return text


@pytest.mark.parametrize("example", sorted(path.name for path in EXAMPLES.iterdir()))
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, example: str, data: st.DataObject
) -> None:
    """Never a traceback: only `PolicyFileError`, and a policy that can be built."""
    path = tmp_path_factory.getbasetemp() / example
    path.write_text(_damaged((EXAMPLES / example).read_text(encoding="utf-8"), data), "utf-8")
    try:
        for name in [None, *choices(path)]:
            try:
                import_policy(path, name).preset().build()
            except PolicyFileError:
                continue
    except PolicyFileError:
        pass  # how it is refused is what the other tests show


def test_hostile_strings_are_shown_escaped_and_short(tmp_path: Path) -> None:
    """In values, in keys and in names."""
    evil = "\\u001b[31m" + "x" * 500
    error = refusal(
        tmp_path,
        f'{{"methodConfig": [{{"name": [{{}}], "retryPolicy": {{"maxAttempts": "{evil}"}}}}]}}',
        name="policy.json",
    )
    assert "\x1b" not in str(error)
    assert len(str(error)) < 400
    assert error.path == "methodConfig[0].retryPolicy.maxAttempts"
    key = refusal(tmp_path, f'{{"methodConfig": [{{"{evil}": 1}}]}}', "x", name="policy.json")
    assert "\x1b" not in str(key)


def test_large_files_are_read_quickly(tmp_path: Path) -> None:
    """The largest that is allowed is refused for its values, within seconds."""
    with pytest.raises(PolicyFileError, match="values"):
        read_yaml("f", "- a\n" * (MAX_BYTES // 4))
    assert read_json("f", f'"{"a" * (MAX_BYTES - 2)}"') == "a" * (MAX_BYTES - 2)


def test_a_hostile_file_name_is_shown_escaped(tmp_path: Path) -> None:
    """In a refusal, also one of a file that is not there or whose name is no text."""
    folder = tmp_path / "esc"
    folder.mkdir()
    assert "\\x1b[31m" in str(refusal(folder, "a: 1", name="\x1b[31mx.yaml"))
    for name in ("\x1b[31m.json", "\udcff.json", "a\nb.json"):
        with pytest.raises(PolicyFileError) as caught:
            import_policy(folder / name)
        assert str(caught.value).isprintable()
        assert caught.value.file.isprintable()


def test_many_keys_beside_the_routes_are_read_quickly(tmp_path: Path) -> None:
    """In time that grows with the file, not with its square."""
    keys = ", ".join(f'"k{n}": {{"circuit_breakers": {{}}}}' for n in range(20_000))
    route = '{"route": {"cluster": "c", "retry_policy": {"retry_on": "5xx"}}}'
    text = f'{{{keys}, "virtual_hosts": [{{"name": "h", "routes": [{route}]}}]}}'
    assert len(text) < MAX_BYTES
    began = time.process_time()
    read(tmp_path, text, name="envoy.json")
    assert time.process_time() - began < 8


def test_many_documents_are_read_quickly(tmp_path: Path) -> None:
    """Laid over one another in time that grows with their number, not with its square."""
    text = "resilience4j.retry.instances.a.maxAttempts: 2\n"
    text += "".join(f"---\nk{n}: 1\n" for n in range(20_000))
    began = time.process_time()
    assert read(tmp_path, text).parameters == {"max_attempts": 2}
    assert time.process_time() - began < 8


def test_what_is_wrong_is_printable() -> None:
    """Whatever comes into the sentence."""
    assert str(PolicyFileError("a", "b\x1b", "c\n\x9b")) == r"a: b\x1b: c\n\x9b"
