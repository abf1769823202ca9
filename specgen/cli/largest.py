"""The largest value of a word of a job with which it still fits: values are tried, each built and asked for anew."""

from __future__ import annotations

from specgen.diagnostics.model import BadQuestion
from specgen.schedulers.verdict import FITS, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.schedulers.verdict import Answer

# Larger values are not tried.
_MOST = 1 << 14


class Largest:
    """``value``: the largest one that is known to fit, 0: there is none; ``bounded``: whether the next one does not."""

    __slots__ = ("bounded", "value", "word")

    def __init__(self, word: str, value: int, *, bounded: bool) -> None:
        self.word = word
        self.value = value
        self.bounded = bounded

    @property
    def settings(self) -> list[str]:
        """What is set for the answer: the value itself, or the smallest where none fits."""
        return [f"{self.word}={self.value or 1}"]

    @property
    def line(self) -> str:
        """The answer as a sentence."""
        if not self.value:
            return (
                f"{self.word}: no value fits" if self.bounded else f"{self.word}: it is not known whether a value fits"
            )
        if not self.bounded:
            return f"{self.word}: {self.value} fits, of larger values it is not known"
        return f"{self.word}: {self.value} is the largest that fits, {self.value + 1} does not fit"

    @property
    def tree(self) -> dict[str, Any]:
        """The answer for programs."""
        return {"word": self.word, "value": self.value, "bounded": self.bounded}


def _is_number(word: str) -> bool:
    """Whether a word takes whole numbers; of one that there is not the build says so."""
    from specgen.profile.settings import BadSetting, layer
    from specgen.tables import job

    try:
        value: Any = layer(f"{word}=1", job.DEFINITIONS["Layer"]).data
    except BadSetting:
        return True
    while isinstance(value, dict):
        value = next(iter(value.values()))
    return type(value) is int


def largest_of(word: str, ask: Callable[[list[str]], tuple[int, list[Answer]]]) -> Largest:
    """The largest whole number at a word with which all jobs fit. Raises BadQuestion, as ``ask`` does."""
    if "=" in word:
        raise BadQuestion(f"--max {word}: name the word alone, such as `pods`")
    if not _is_number(word):
        raise BadQuestion(f"--max {word}: this word takes no whole number", "name one that does, such as `pods`")

    unknown = []

    def fits(value: int) -> bool:
        code, answers = ask([f"{word}={value}"])
        if any(one.verdict == UNKNOWN for one in answers):
            unknown.append(value)
        return code == 0 and all(one.verdict == FITS for one in answers)

    # some jobs need several: the first power of two that fits, then the last one
    powers = [1 << at for at in range(_MOST.bit_length())]
    low = next((value for value in powers if value <= 64 and fits(value)), 0)
    if not low:
        return Largest(word, 0, bounded=not unknown)
    high = next((value for value in powers if value > low and not fits(value)), 0)
    if not high or high in unknown:
        return Largest(word, high // 2 or _MOST, bounded=False)
    low = max(low, high // 2)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return Largest(word, low, bounded=high not in unknown)
