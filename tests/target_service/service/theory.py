"""Poisson arrivals at a model, and what queueing theory says of them.

Formulas as in D. Gross, J. F. Shortle, J. M. Thompson, C. M. Harris, "Fundamentals of Queueing
Theory", 4th edition, Wiley 2008: M/M/c and Erlang's formulas in 2.3 to 2.6, M/G/1 in 5.1. λ is the
arrival rate, S a service time, a = λ E[S] the offered load in Erlang,
u = a/c the share of their time that c workers are busy.
"""

from dataclasses import dataclass
from math import factorial, fsum
from random import Random
from statistics import fmean, pvariance

from target_service.service import Job, QueueModel, ServiceConfig, Verdict


@dataclass(frozen=True)
class Measured:
    """What a run came to; times in seconds."""

    waits_s: list[float]
    mean_queue: float
    loss: float
    rate_per_s: float

    @property
    def mean_wait_s(self) -> float:
        """From arrival to the beginning of service."""
        return fmean(self.waits_s)

    @property
    def wait_variance(self) -> float:
        """Of the waits, seconds squared."""
        return pvariance(self.waits_s)


def measured(config: ServiceConfig, rate_per_s: float, arrivals: int, seed: int = 1) -> Measured:
    """Poisson arrivals at a model that is empty at first.

    `mean_queue` is of what arrivals find, which is the average over time (Wolff's PASTA).
    """
    model = QueueModel(config, Random(f"{seed}/service"))
    rng = Random(f"{seed}/arrivals")
    now_s, lost, found = 0.0, 0, 0
    waits_s: list[float] = []
    for _ in range(arrivals):
        now_s += rng.expovariate(rate_per_s)
        model.advance(now_s)
        found += model.queue
        if model.arrive(Job(1), now_s) is not Verdict.TAKEN:
            lost += 1
        if model.ended:
            waits_s += [job.started_s - job.arrived_s for job, _ in model.ended]
            model.ended.clear()
    return Measured(waits_s, found / arrivals, lost / arrivals, arrivals / now_s)


def erlang_b(servers: int, load: float) -> float:
    """The share that M/G/c/c loses: (aᶜ/c!) / Σₙ₌₀ᶜ aⁿ/n!, whatever the distribution of S."""
    terms = [load**n / factorial(n) for n in range(servers + 1)]
    return terms[-1] / fsum(terms)


def erlang_c(servers: int, load: float) -> float:
    """The share that waits in M/M/c: B / (1 − u (1 − B)); B is `erlang_b`."""
    blocked, use = erlang_b(servers, load), load / servers
    return blocked / (1 - use * (1 - blocked))


def mm_c_wait_s(servers: int, rate_per_s: float, mean_s: float) -> float:
    """The mean wait of M/M/c: C / (c/E[S] − λ)."""
    return erlang_c(servers, rate_per_s * mean_s) / (servers / mean_s - rate_per_s)


def mg_1_wait_s(rate_per_s: float, mean_s: float, second_moment: float) -> float:
    """Pollaczek and Khinchine: the mean wait of M/G/1 is λ E[S²] / (2 (1 − u))."""
    return rate_per_s * second_moment / (2 * (1 - rate_per_s * mean_s))


def mm_1_k_loss(places: int, load: float) -> float:
    """The share that M/M/1/K loses, K with the one in service: (1 − u) uᴷ / (1 − uᴷ⁺¹)."""
    return (1 - load) * load**places / (1 - load ** (places + 1))
