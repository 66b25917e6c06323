"""The service of a lane as its callers see it: what arrives, what is answered, what is counted."""

from collections.abc import Callable
from functools import partial
from random import Random

from loadtests.simulation.events.agenda import Agenda
from loadtests.simulation.events.attempt import CLOSED, RESET, SERVED, Attempt, Reply
from loadtests.simulation.stage import Stage
from target_service.disorder import Blow, Cut, Error, Hang, Reset
from target_service.disorder.faults import Ending
from target_service.limits import MAX_HANG_S
from target_service.service import Fate, Verdict
from target_service.service.config import Order
from target_service.words import Headers, Word, headers_of_fault

_TAKEN, _SERVED, _BLOCKED = Verdict.TAKEN, Fate.SERVED, Verdict.BLOCKED


class Service:
    """A lane of the target, of which its callers get answers. What is counted is as in the gate."""

    def __init__(self, stage: Stage, agenda: Agenda, word: Word) -> None:
        self._target = stage.target
        self._disorder = stage.target.disorder
        self._lane = stage.lane
        self._model = stage.lane.model
        self._agenda = agenda
        self._refused = _refusals(word, stage.target.stream("word"))
        agenda.work = self.work

    @property
    def acts_by_itself(self) -> bool:
        """Whether somebody may hear of more than success while no attempt comes or goes."""
        model = self._model
        if model is None:
            return False
        config, striking = model.config, self._disorder.striking
        waits_end = config.max_wait_s is not None or config.discipline.order is Order.CODEL
        return waits_end or config.heed_deadlines or bool(striking)

    def receive(self, attempt: Attempt, now_s: float) -> None:
        """An attempt arrives."""
        lane, disorder, model = self._lane, self._disorder, self._model
        if disorder.acting and disorder.turns_away(lane.name, attempt.attempt, self._target.seq):
            lane.block(attempt.attempt)
            self._agenda.answer(attempt, self._refused[_BLOCKED](now_s), now_s)
            return
        verdict = lane.offer(attempt, now_s)
        if verdict is not _TAKEN:
            self._agenda.answer(attempt, self._refused[verdict](now_s), now_s)
        else:
            attempt.held = True
            if model is None:
                self._answer(attempt, now_s)
        if model is not None and model.ended:
            self.look()

    def leave(self, attempt: Attempt, now_s: float) -> None:
        """The caller of an attempt has gone."""
        if attempt.held:
            attempt.held = False
            self._lane.leave(attempt, now_s)
            self._lane.abandon(attempt.attempt)
            self.look()

    def work(self, now_s: float) -> None:
        """Whatever work ends by now, ends."""
        if self._model is not None:
            self._model.advance(now_s)
            self.look()

    def work_until(self, now_s: float) -> None:
        """As `work`, but for what ends at this very instant."""
        if self._model is not None:
            self._model.advance_until(now_s)
            self.look()

    def look(self) -> None:
        """Answer whatever the model is done with."""
        model = self._model
        if model is None or not model.ended:
            return
        for job, fate in model.ended:
            if not isinstance(job, Attempt) or not job.held:
                continue  # its caller has gone meanwhile
            if fate is _SERVED:
                self._answer(job, job.ended_s)
            else:
                refusal = self._refused[fate](job.ended_s)
                self._complete(job, refusal, job.ended_s, shed=True)
        model.ended.clear()

    def _answer(self, attempt: Attempt, now_s: float) -> None:
        """As the app does, or a fault in its place."""
        disorder = self._disorder
        blow = disorder.blow(self._lane.name, self._target.seq) if disorder.striking else None
        if blow is None:
            attempt.held = False
            self._lane.complete(attempt.attempt)
            if not attempt.caller.foresees(attempt, now_s + self._agenda.network_s):
                self._agenda.answer(attempt, SERVED, now_s)
        else:
            self._strike(attempt, blow, now_s)

    def _strike(self, attempt: Attempt, blow: Blow, now_s: float) -> None:
        if blow.delay_s > 0:
            self._agenda.at(now_s + blow.delay_s, partial(self._struck, attempt, blow.ending))
        else:
            self._struck(attempt, blow.ending, now_s)

    def _struck(self, attempt: Attempt, ending: Ending | None, now_s: float) -> None:
        """What an attempt gets in the place of its answer, if its caller is still there."""
        if not attempt.held:
            return
        match ending:
            case None:
                self._complete(attempt, SERVED, now_s)
            case Error() as error:
                self._complete(attempt, _failure(error), now_s, failed=True)
            case Hang():
                self._agenda.at(now_s + MAX_HANG_S, partial(self._struck, attempt, Reset()))
            case Reset():
                self._complete(attempt, RESET, now_s, failed=True)
            case Cut():
                self._complete(attempt, CLOSED, now_s, failed=True)

    def _complete(
        self,
        attempt: Attempt,
        reply: Reply,
        now_s: float,
        *,
        shed: bool = False,
        failed: bool = False,
    ) -> None:
        attempt.held = False
        self._lane.complete(attempt.attempt, shed=shed, failed=failed)
        self._agenda.answer(attempt, reply, now_s)


def _refusals(word: Word, rng: Random) -> dict[Verdict | Fate, Callable[[float], Reply]]:
    """What is said to those who are refused. The anchor of a simulated run is 1970."""
    fixed, draws = word.fixed(), word.draws

    def refusal(status: int) -> Callable[[float], Reply]:
        always = Reply(status, headers=_by_name(fixed))

        def drawn(now_s: float) -> Reply:
            return Reply(status, headers=_by_name([*fixed, *word.drawn(rng, now_s)]))

        return drawn if draws else lambda _now_s: always

    usual, expired = refusal(word.status), refusal(504)
    return {
        Verdict.FULL: usual,
        Verdict.BLOCKED: usual,
        Verdict.EXPIRED: expired,
        Fate.SHED: usual,
        Fate.EXPIRED: expired,
    }


def _failure(error: Error) -> Reply:
    return Reply(error.status, headers=_by_name(headers_of_fault(error)))


def _by_name(headers: Headers) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
