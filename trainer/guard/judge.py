"""By what member 0 finds the one verdict: ends, lost connections, silence, frozen processes, phases, idleness."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from trainer.faults import DONE, INTERRUPTED, PEER, STOPPED, Fault
from trainer.guard.cause import READ_LOG
from trainer.guard.members import Member
from trainer.guard.options import Options
from trainer.guard.wire import Channel, Message

CAUSE_WAIT_S = 2.5  # a broken connection is a symptom: for so long the cause may come from the rank that knows it
SLOW_BY = 1.25  # of the median rank's time a step, with which a rank is slow
SLOW_INTERVALS = 3  # in a row, before that is said
INTERVAL_S = 10.0


class Verdict(Fault):
    """The fault of the whole job, or its good end with code 0."""

    stacks = False  # the culprits' threads are to say where they stand; all members' if there are no culprits

    def message(self) -> Message:
        verdict = {"code": self.code, "reason": self.reason, "culprits": self.culprits, "remedy": self.remedy}
        return {"verdict": {**verdict, "stacks": self.stacks}}


def verdict_of(message: Message) -> Verdict:
    found = message["verdict"]
    verdict = Verdict(found["code"], found["reason"], found["culprits"], found["remedy"])
    verdict.stacks = found["stacks"]
    return verdict


@dataclass
class Seat:
    """A member as the hub knows it."""

    member: Member
    channel: Channel
    heard: float  # when its last word came
    beat: Message = field(default_factory=dict)  # the last report of its guard
    ended: Message | None = None  # how its script ended
    stands_at: int | None = None  # its call of should_stop, once it was asked to stop
    slow: dict[str, int] = field(default_factory=dict)  # intervals in a row, by rank
    totals: dict[str, Any] = field(default_factory=dict)  # seconds by rank and phase at the last interval

    @property
    def name(self) -> str:
        return self.member.name()


def of_failures(seats: list[Seat]) -> Verdict | None:
    """The first script that failed by itself."""
    for seat in seats:
        end = seat.ended
        if end is not None and end["code"] != DONE and not end["symptom"]:
            return Verdict(end["code"], f"{seat.name}: {end['reason']}", (seat.member.number,), end["remedy"])
    return None


def of_ends(seats: list[Seat], stopped: str, since: float | None, now: float) -> Verdict | None:
    """``stopped``: by whom the job was asked to stop; ``since``: when the first symptom came."""
    ended = [(seat, seat.ended) for seat in seats if seat.ended is not None]
    if stopped:
        if len(ended) < len(seats):
            return None
        odd = [f"{seat.name}: {end['reason']}" for seat, end in ended if end["code"] not in (0, STOPPED, INTERRUPTED)]
        code = INTERRUPTED if stopped.startswith("SIGINT") else STOPPED
        return Verdict(code, "; ".join([f"stopped by {stopped}", *odd]))
    lost, whole = [(seat, end) for seat, end in ended if end["symptom"]], len(ended) == len(seats)
    if lost and (whole or (since is not None and now - since > CAUSE_WAIT_S)):  # once all have ended, nobody knows more
        seat, end = lost[0]
        return Verdict(PEER, f"{seat.name}: {end['reason']}; no member knows the cause", (), end["remedy"])
    return Verdict(DONE, "all scripts done") if whole else None


def of_life(seats: list[Seat], options: Options, now: float) -> Verdict | None:
    """Members that are gone, silent or frozen."""
    for seat in seats:
        number = (seat.member.number,)
        if seat.channel.closed:
            return Verdict(PEER, f"{seat.name} vanished: its guard was killed, or its host is gone", number, READ_LOG)
        silent = now - seat.heard
        if silent > options.silence_limit:
            return Verdict(PEER, f"{seat.name} is dead: no word for {silent:.0f} s (frozen, or cut off)", number)
        frozen = seat.beat.get("frozen")
        if frozen and frozen["seconds"] > options.silence_limit and seat.ended is None:
            text = f"{seat.name}: process {frozen['process']} has been stopped (SIGSTOP) for {frozen['seconds']:.0f} s"
            return _with_stacks(Verdict(PEER, text, number))
    return None


def of_phases(seats: list[Seat], options: Options) -> Verdict | None:
    """Ranks that stay in a phase for too long, where the script says phases; all that wait in `sync` come second."""
    stuck, waiting, latest, ranks = list[str](), list[str](), 0.0, 0
    culprits: list[int] = []
    for seat in seats:
        if seat.ended is not None:
            continue
        for label, at in seat.beat.get("ranks", {}).items():
            ranks += 1
            limit = options.start_limit if at["step"] is None else options.step_limit
            who = f"{label} of {seat.name}" if label and seat.member.unit == "pod" else seat.name
            if at["phase"] == "sync":
                waiting.append(who)
                latest = max(latest, limit - at["age"] / 2)
            elif at["phase"] and at["age"] > limit:
                stuck.append(f"{who} in {at['phase']} for {at['age']:.0f} s at step {at['step']}")
                culprits.append(seat.member.number)
    if stuck:
        text = "stuck: " + ", ".join(stuck) + (f"; waiting: {', '.join(waiting)}" if waiting else "")
        return _with_stacks(Verdict(PEER, text, culprits))
    if ranks and len(waiting) == ranks and latest < 0:
        return _with_stacks(Verdict(PEER, f"all {ranks} ranks wait for each other: network"))
    return None


def of_idleness(seats: list[Seat], options: Options) -> Verdict | None:
    """The script says nothing, and no member's processes have used a CPU."""
    running = [seat for seat in seats if seat.ended is None]
    least = min((seat.beat.get("idle", 0.0) for seat in running), default=0.0)
    if options.idle_limit and least > options.idle_limit:
        text = f"no process of {len(running)} members has used a CPU for {least:.0f} s: all wait, see their stacks"
        return _with_stacks(Verdict(PEER, text))
    return None


def _with_stacks(verdict: Verdict) -> Verdict:
    verdict.stacks = True
    return verdict


def stragglers(seats: list[Seat]) -> list[str]:
    """A line for each rank whose own time a step, all but `sync`, was far above the median's for several intervals."""
    own: list[tuple[Seat, str, float, str]] = []
    for seat in seats:
        for label, at in seat.beat.get("ranks", {}).items():
            before, totals = seat.totals.get(label, {}), at["totals"]
            spent = {name: totals[name] - before.get(name, 0.0) for name in totals if name != "steps"}
            steps = totals.get("steps", 0) - before.get("steps", 0)
            work = {name: seconds for name, seconds in spent.items() if name != "sync"}
            if steps > 0 and work:
                own.append((seat, label, sum(work.values()) / steps, max(work, key=lambda name: work[name])))
            seat.totals[label] = dict(totals)
    lines: list[str] = []
    if len(own) < 2:
        return lines
    median = sorted(seconds for _, _, seconds, _ in own)[(len(own) - 1) // 2]
    for seat, label, seconds, phase in own:
        seat.slow[label] = seat.slow.get(label, 0) + 1 if seconds > SLOW_BY * median else 0
        if seat.slow[label] == SLOW_INTERVALS:
            who = f"{label} of {seat.name}" if label and seat.member.unit == "pod" else seat.name
            text = (
                f"{who} is slow: {seconds * 1e3:.0f} ms a step, most in {phase}; the median rank {median * 1e3:.0f} ms"
            )
            lines.append(text)
    return lines
