"""Spring's resilience4j: how settings are laid over one another, and what they become."""

from pathlib import Path

import pytest

from loadtests.imports import choices, import_policy
from tests.loadtests.imports.written import EXAMPLES, read, refusal, why


def retries(settings: str, configs: str = "{}") -> str:
    """One instance with these settings."""
    return f"resilience4j.retry: {{configs: {configs}, instances: {{a: {{{settings}}}}}}}"


def breakers(settings: str) -> str:
    """One circuit breaker with these settings."""
    return f"resilience4j.circuitbreaker.instances.a: {{{settings}}}"


def test_a_retry_around_a_breaker() -> None:
    """The instance's own over its base's over the default's."""
    path = EXAMPLES / "application.yaml"
    assert choices(path) == ["orders", "reports"]
    imported = import_policy(path, "orders")
    assert imported.preset_name == "resilience4j-2-retry-breaker"
    assert imported.parameters == {
        "max_attempts": 4,
        "wait_s": 1.0,
        "multiplier": 2.0,
        "max_wait_s": 10.0,
        "randomization": 0.3,
        "window_type": "time",
        "window_size": 30,
        "minimum_calls": 20,
        "permitted_in_half_open": 5,
        "failure_rate_share": 0.5,
        "slow_call_s": 2.0,
        "wait_in_open_s": 15.0,
        "wait_in_open_multiplier": 2.0,
        "max_wait_in_open_s": 120.0,
        "automatic_half_open": True,
    }
    assert list(why(imported)) == ["resilience4j.retry.instances.orders.retryExceptions"]
    reports = import_policy(path, "reports")
    assert reports.preset_name == "resilience4j-2"
    assert reports.parameters == {"max_attempts": 2, "wait_s": 0.2}


@pytest.mark.parametrize(
    ("settings", "parameters"),
    [
        ("", {}),
        ("max-attempts: 5", {"max_attempts": 5}),
        ("max_attempts: 5", {"max_attempts": 5}),
        ("MAXATTEMPTS: '5'", {"max_attempts": 5}),
        ("waitDuration: 250", {"wait_s": 0.25}),
        ("waitDuration: 0", {"wait_s": 0.0}),
        ("wait-duration: PT0.25S", {"wait_s": 0.25}),
        ("waitDuration: 1s, enableExponentialBackoff: true", {"wait_s": 1.0, "multiplier": 1.5}),
        (
            "waitDuration: 1s, enableExponentialBackoff: true, exponentialMaxWaitDuration: 5s",
            {"wait_s": 1.0, "multiplier": 1.5},
        ),
        (
            "waitDuration: 1s, enableExponentialBackoff: true, exponentialBackoffMultiplier: 3,"
            "exponentialMaxWaitDuration: 5s",
            {"wait_s": 1.0, "multiplier": 3.0, "max_wait_s": 5.0},
        ),
        (
            "waitDuration: 1s, enableExponentialBackoff: true, exponentialBackoffMultiplier: 3,"
            "exponentialMaxWaitDuration: 5s, enableRandomizedWait: true",
            {"wait_s": 1.0, "multiplier": 3.0, "randomization": 0.5},
        ),
        ("waitDuration: 1s, enableRandomizedWait: true, randomizedWaitFactor: 0.2",
         {"wait_s": 1.0, "randomization": 0.2}),
        ("enableExponentialBackoff: true, exponentialBackoffMultiplier: 3", {}),
        ("waitDuration: 1s, exponentialBackoffMultiplier: 3", {"wait_s": 1.0}),
        ("waitDuration: '${WAIT:2s}', maxAttempts: '${N:7}'", {"wait_s": 2.0, "max_attempts": 7}),
    ],
)  # fmt: skip
def test_retries(tmp_path: Path, settings: str, parameters: dict[str, object]) -> None:
    """A cap counts only beside all that the library wants beside it; nothing does without a wait.

    Names may be spelled as Spring allows.
    """
    imported = read(tmp_path, retries(settings))
    assert imported.preset_name == "resilience4j-2"
    assert imported.parameters == parameters


@pytest.mark.parametrize(
    ("settings", "path", "reason"),
    [
        ("exponentialMaxWaitDuration: 5s", "exponentialMaxWaitDuration", "counts only beside wait"),
        (
            "waitDuration: 1s, enableExponentialBackoff: true, exponentialMaxWaitDuration: 5s",
            "exponentialMaxWaitDuration",
            "counts only beside a multiplier",
        ),
        ("waitDuration: 1s, randomizedWaitFactor: 0.2", "randomizedWaitFactor", "is not enabled"),
        ("ignoreExceptions: [a.B]", "ignoreExceptions", "classes of the program"),
        ("intervalBiFunction: a.B", "intervalBiFunction", "a class of the program, whose waits"),
        ("retries: 3", "retries", "not a field that is known here"),
    ],
)
def test_what_does_not_count_is_said(tmp_path: Path, settings: str, path: str, reason: str) -> None:
    """With its path."""
    ignored = why(read(tmp_path, retries(settings)))
    assert ignored[f"resilience4j.retry.instances.a.{path}"].startswith(reason)


@pytest.mark.parametrize(
    ("settings", "parameters"),
    [
        ("", {}),
        ("sliding-window-type: count_based", {"window_type": "count"}),
        ("slidingWindowType: TIME-BASED, slidingWindowSize: 10",
         {"window_type": "time", "window_size": 10}),
        ("failureRateThreshold: 12.5, slowCallRateThreshold: 80",
         {"failure_rate_share": 0.125, "slow_call_rate_share": 0.8}),
        ("waitDurationInOpenState: 1, maxWaitDurationInHalfOpenState: 2s",
         {"wait_in_open_s": 0.001, "max_wait_in_half_open_s": 2.0}),
        ("waitDurationInOpenState: 5s, enableExponentialBackoff: true",
         {"wait_in_open_s": 5.0, "wait_in_open_multiplier": 1.5}),
        ("waitDurationInOpenState: 5s, enable-exponential-backoff: true,"
         "exponential-backoff-multiplier: 3, exponential-max-wait-duration-in-open-state: 1m",
         {"wait_in_open_s": 5.0, "wait_in_open_multiplier": 3.0, "max_wait_in_open_s": 60.0}),
        ("waitDurationInOpenState: 5s, enableExponentialBackoff: false,"
         "exponentialBackoffMultiplier: 3", {"wait_in_open_s": 5.0}),
        ("enableExponentialBackoff: true, exponentialBackoffMultiplier: 3", {}),
        ("waitDurationInOpenState: 5s, enableRandomizedWait: true", {"wait_in_open_s": 5.0}),
        ("automaticTransitionFromOpenToHalfOpenEnabled: true", {"automatic_half_open": True}),
    ],
)  # fmt: skip
def test_breakers(tmp_path: Path, settings: str, parameters: dict[str, object]) -> None:
    """Percentages are shares here."""
    imported = read(tmp_path, breakers(settings))
    assert imported.preset_name == "resilience4j-2-breaker"
    assert imported.parameters == parameters


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (
            "enableExponentialBackoff: true",
            {"enableExponentialBackoff": "counts only beside waitDurationInOpenState in the same"},
        ),
        (
            "waitDurationInOpenState: 1s, enableExponentialBackoff: true,"
            "exponentialMaxWaitDurationInOpenState: 5s",
            {"exponentialMaxWaitDurationInOpenState": "counts only beside a multiplier"},
        ),
        (
            "waitDurationInOpenState: 1s, exponentialBackoffMultiplier: 2",
            {"exponentialBackoffMultiplier": "is not enabled"},
        ),
        ("initialState: OPEN", {"initialState": "the breaker begins closed"}),
    ],
)
def test_what_does_not_count_of_a_breaker_is_said(
    tmp_path: Path, settings: str, says: dict[str, str]
) -> None:
    """And nothing else is."""
    ignored = why(read(tmp_path, breakers(settings)))
    assert [path.rpartition(".")[2] for path in ignored] == list(says)
    for reason, expected in zip(ignored.values(), says.values(), strict=True):
        assert reason.startswith(expected)


def test_an_open_state_is_not_randomized(tmp_path: Path) -> None:
    """Which is said."""
    settings = "waitDurationInOpenState: 5s, enableRandomizedWait: true, randomizedWaitFactor: 0.2"
    imported = read(tmp_path, breakers(settings))
    assert imported.notes == ("the open state is not randomized here: it lasts the wait itself",)


def test_a_wait_is_built_of_the_config_that_has_it(tmp_path: Path) -> None:
    """Jitter beside no wait is not built; a retry's own wait takes its base's growth with it."""
    base = "waitDuration: 1s, enableExponentialBackoff: true, exponentialBackoffMultiplier: 2"
    configs = f"{{b: {{{base}, enableRandomizedWait: true, randomizedWaitFactor: 0.2}}}}"
    grown = {"wait_s": 1.0, "multiplier": 2.0, "randomization": 0.2}
    no_wait = read(tmp_path, retries("baseConfig: b, exponentialBackoffMultiplier: 9", configs))
    assert no_wait.parameters == grown
    assert why(no_wait) == {
        "resilience4j.retry.instances.a.exponentialBackoffMultiplier": (
            "counts only beside waitDuration in the same config"
        )
    }
    own_wait = read(tmp_path, retries("baseConfig: b, waitDuration: 3s", configs))
    assert own_wait.parameters == {"wait_s": 3.0, "multiplier": 2.0, "randomization": 0.5}
    assert list(why(own_wait)) == ["resilience4j.retry.configs.b.randomizedWaitFactor"]
    own = read(tmp_path, retries("baseConfig: b, waitDuration: 3s, enableExponentialBackoff: false,"
                                 "enableRandomizedWait: false", configs))  # fmt: skip
    assert own.parameters == {"wait_s": 3.0}


def test_a_breaker_with_a_wait_of_its_own_has_no_growth_of_its_base(tmp_path: Path) -> None:
    """Nor is growth in the instance that of its base's wait."""
    text = (
        "resilience4j.circuitbreaker:\n"
        "  configs: {b: {waitDurationInOpenState: 5s, enableExponentialBackoff: true,"
        " exponentialBackoffMultiplier: 2}, c: {waitDurationInOpenState: 7s}}\n"
        "  instances:\n"
        "    own: {baseConfig: b, waitDurationInOpenState: 3s}\n"
        "    none: {baseConfig: b, minimumNumberOfCalls: 3}\n"
        "    grows: {baseConfig: c, enableExponentialBackoff: true}\n"
    )
    assert read(tmp_path, text, "own").parameters == {"wait_in_open_s": 3.0}
    assert len(why(read(tmp_path, text, "own"))) == 2
    assert read(tmp_path, text, "none").parameters == {
        "minimum_calls": 3, "wait_in_open_s": 5.0, "wait_in_open_multiplier": 2.0,
    }  # fmt: skip
    assert read(tmp_path, text, "grows").parameters == {"wait_in_open_s": 7.0}


def test_a_base_has_the_default_under_it_for_retries_alone(tmp_path: Path) -> None:
    """That is how the library merges them."""
    configs = (
        "{default: {maxAttempts: 7, waitDuration: 7s}, b: {baseConfig: c}, c: {waitDuration: 3s}}"
    )
    imported = read(tmp_path, retries("base-config: b", configs))
    assert imported.parameters == {"max_attempts": 7, "wait_s": 3.0}
    text = (
        "resilience4j.circuitbreaker:\n"
        "  configs: {default: {slidingWindowSize: 7}, b: {minimumNumberOfCalls: 3}}\n"
        "  instances: {a: {baseConfig: b}, d: {minimumNumberOfCalls: 5}}"
    )
    assert read(tmp_path, text, "a").parameters == {"minimum_calls": 3}
    assert read(tmp_path, text, "d").parameters == {"minimum_calls": 5, "window_size": 7}


def test_documents_are_laid_over_one_another(tmp_path: Path) -> None:
    """Those for a Spring profile are left out, aloud; dotted keys are mappings."""
    text = (
        "resilience4j.retry.instances.a.max-attempts: 3\n"
        "resilience4j.retry:\n  instances.a.waitDuration: 1s\n"
        "---\nresilience4j: {retry: {instances: {a: {max-attempts: 4}}}}\n"
        "---\nspring.config.activate.on-profile: test\n"
        "resilience4j.retry.instances.a.max-attempts: 9\n"
    )
    imported = read(tmp_path, text)
    assert imported.parameters == {"max_attempts": 4, "wait_s": 1.0}
    assert why(imported) == {"document 3": "is for a Spring profile only"}


def test_older_and_other_names(tmp_path: Path) -> None:
    """`backends` are instances; a file without instances has its shared configs."""
    assert choices_of(tmp_path, "resilience4j.retry.backends: {x: {}}") == ["x"]
    assert choices_of(tmp_path, "resilience4j.retry.configs: {default: {}, b: {}}") == [
        "default", "b",
    ]  # fmt: skip
    text = 'resilience4j.retry.instances: {"[my.orders]": {maxAttempts: 2}}'
    assert choices_of(tmp_path, text) == ["my.orders"]
    assert read(tmp_path, text, "my.orders").parameters == {"max_attempts": 2}


def choices_of(tmp_path: Path, text: str) -> list[str]:
    """What there is to choose from."""
    path = tmp_path / "application.yml"
    path.write_text(text, encoding="utf-8")
    return choices(path)


def test_what_else_is_set_for_an_instance_is_said(tmp_path: Path) -> None:
    """Other modules of the library, and the order of the two."""
    text = (
        "resilience4j:\n  retry: {instances: {a: {}}, retry-aspect-order: 2, instanz: {}}\n"
        "  bulkhead: {instances: {a: {}}}\n  ratelimiter: {instances: {b: {}}}"
    )
    assert why(read(tmp_path, text)) == {
        "resilience4j.retry.retry-aspect-order": (
            "the default order is built: retries around the breaker"
        ),
        "resilience4j.retry.instanz": "not a field that is known here",
        "resilience4j.bulkhead.instances.a": "'bulkhead' is not modelled",
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (retries("maxAttempts: 0"), "retry.instances.a.maxAttempts: found 0: expected"),
        (retries("waitDuration: soon"), "waitDuration: found 'soon': expected a duration, as in"),
        (retries("waitDuration: -1"), "found -1: expected a duration"),
        (retries("waitDuration: 0, enableRandomizedWait: true"), "of at least a millisecond"),
        (retries("waitDuration: 1s, enableExponentialBackoff: 1"), "expected true or false"),
        (retries("waitDuration: 1s, enableRandomizedWait: true, randomizedWaitFactor: 2"),
         "randomizedWaitFactor: found 2: expected a number, 0 to 1"),
        (retries("maxAttempts: '${N}'"), "found '${N}': expected a value, or a placeholder with"),
        (retries("maxAttempts: 1, max-attempts: 2"), "stands twice in different spellings"),
        (retries("baseConfig: b"), "baseConfig: found 'b': expected one of the shared configs: no"),
        (retries("baseConfig: b", "{b: {baseConfig: b}}"), "'b' is based on itself"),
        ("resilience4j.retry.instances: {a: 3}", "instances.a: found 3: expected a mapping"),
        ("resilience4j.retry: {instances: 3}", "resilience4j.retry.instances: found 3: expected"),
        ("resilience4j.retry: {instances: {a: {x.y: 1, x: 2}}}", "stands twice"),
        ("resilience4j: {}", "there is no instance in it"),
        ("resilience4j: 3", "there is no instance in it"),
        (breakers("slidingWindowType: NONE"), "found 'NONE': expected COUNT_BASED or TIME_BASED"),
        (retries("waitDuration: 1s, enableRandomizedWait: true, randomizedWaitFactor: 1"),
         "randomizedWaitFactor: found 1: expected a number from 0 to below 1"),
        (breakers("failureRateThreshold: 0.5"), "found 0.5: expected a number, 1 to 100"),
        (breakers("slowCallRateThreshold: 101"), "found 101: expected a number, 1 to 100"),
        (breakers("waitDurationInOpenState: 0"), "found 0: expected a duration of at least a mill"),
        (breakers("enableExponentialBackoff: true, enableRandomizedWait: true"),
         "enableRandomizedWait: found exponential and randomized waits enabled: expected one of"),
        (breakers("automaticTransitionFromOpenToHalfOpenEnabled: 1"), "expected true or false"),
        (breakers("slidingWindowSize: 0"), "found 0: expected a whole number"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    """With the path, what was found, and what was expected."""
    assert problem in str(refusal(tmp_path, text))


_DEEP = ".".join(["resilience4j", *"a" * 3000])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f'{{"{_DEEP}.x": 1, "{_DEEP}.y": 2}}', "deep.json"),
        (f"? {_DEEP}.x\n: 1\n---\n? {_DEEP}.x\n: 2\n", "deep.yaml"),
        (f"resilience4j: {{{'b.' * 40}b: {{{'c.' * 40}c: 1}}}}", "deep.yaml"),
    ],
)
def test_dotted_names_are_bounded_as_levels_are(tmp_path: Path, text: str, name: str) -> None:
    """Each step is a level, and what is above counts too."""
    assert "nested deeper than 64 levels" in str(refusal(tmp_path, text, name=name))


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("maxAttempts: 10001", "maxAttempts: found 10001: expected a whole number, 1 to 10000"),
        ("waitDuration: 2d", "waitDuration: found '2d': expected a duration, 0s to 86400s"),
        (
            "waitDuration: 1s, enableExponentialBackoff: true, exponentialBackoffMultiplier: 0.5",
            "exponentialBackoffMultiplier: found 0.5: expected a number, 1 to 1000",
        ),
    ],
)
def test_beyond_the_presets_bounds(tmp_path: Path, settings: str, problem: str) -> None:
    """With the path."""
    text = f"resilience4j.retry.instances.a: {{{settings}}}"
    assert problem in str(refusal(tmp_path, text))


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("slidingWindowSize: 200000", "slidingWindowSize: found 200000: expected a whole number"),
        ("slowCallDurationThreshold: 0s", "Threshold: found '0s': expected a duration, 0.001s to"),
        (
            "waitDurationInOpenState: 1s, enableExponentialBackoff: true, "
            "exponentialBackoffMultiplier: 500",
            "exponentialBackoffMultiplier: found 500: expected a number, 1 to 100",
        ),
    ],
)
def test_beyond_the_bounds_of_a_breaker(tmp_path: Path, settings: str, problem: str) -> None:
    """With the path."""
    text = f"resilience4j.circuitbreaker.instances.a: {{{settings}}}"
    assert problem in str(refusal(tmp_path, text))
