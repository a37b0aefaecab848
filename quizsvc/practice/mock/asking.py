"""How a mock interview asks: a question is shown as anywhere, and has its place here."""

from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import NamedTuple

from sqlalchemy.orm import Session

from question_bank.models import Question
from question_bank.published import content
from quizsvc.models import MockInterview, MockQuestion, User
from quizsvc.practice.measured import NotComputed
from quizsvc.practice.mock.clock import stage
from quizsvc.practice.mock.pool import candidates
from quizsvc.practice.presenting import in_language, present
from quizsvc.refusals import Invalid, NotFound, invalid


@dataclass(frozen=True, kw_only=True)
class Asking:
    """Who asks whom, when, and by what chance. The user is locked."""

    session: Session
    user: User
    interview: MockInterview
    at: datetime
    rng: Random

    def next(self) -> MockQuestion | None:
        """Ask the first of those ahead that can be asked; None when nothing is left."""
        while self.interview.ahead:
            number, *rest = self.interview.ahead
            self.interview.ahead = rest
            if asked := self._ask(number, None):
                return asked
        return None

    def follow_up(self, last: MockQuestion, slug: str) -> MockQuestion:
        """Ask a follow-up of the last question. Raises Invalid."""
        shown, before = last.presentation, self.interview.ahead
        texts = content(self.session, shown.content_hash).texts if shown else {}
        named = {f.slug for text in texts.values() for f in text.follow_ups}
        fit = askable(self.session, self.user, self.interview, at=self.at)
        number = fit.get(slug) if slug in named else None
        asked = None if number is None else self._ask(number, last.position)
        if asked is None:
            detail = "It is no follow-up that the interview can ask now."
            raise invalid("/follow", "not-an-option", detail)
        ahead = [one for one in before if one != number]
        self.interview.ahead = ahead if len(ahead) < len(before) else ahead[:-1]
        return asked

    def again(self, asked: MockQuestion) -> bool:
        """Show a question anew; False when it was retired or is not computed."""
        slug, lang = asked.question.slug, self.interview.lang
        try:
            asked.presentation = present(
                self.session, self.user, slug, lang, at=self.at, rng=self.rng
            )
        except (NotFound, NotComputed, Invalid):
            return False
        self.session.flush()
        return True

    def _ask(self, number: int, follows: int | None) -> MockQuestion | None:
        asked = MockQuestion(
            position=len(self.interview.questions) + 1,
            question=self.session.get_one(Question, number),
            follows=follows,
        )
        if not self.again(asked):
            return None
        self.interview.questions.append(asked)
        self.session.flush()
        return asked


def askable(
    session: Session, user: User, interview: MockInterview, *, at: datetime
) -> dict[str, int]:
    """The questions, by slug, that an interview has not asked and can ask."""
    asked = {one.question_id for one in interview.questions}
    fit = candidates(session, user, interview.lang, at=at)
    return {one.slug: one.id for one in fit if one.id not in asked}


class Rung(NamedTuple):
    """A follow-up of a question; ``slug`` when the interview can ask it next."""

    prompt: str  # Markdown
    slug: str | None


def ladder(
    session: Session,
    user: User,
    interview: MockInterview,
    asked: MockQuestion,
    *,
    at: datetime,
) -> list[Rung]:
    """The follow-ups of a question that was answered; each is asked after the last alone."""
    if asked.presentation is None or stage(asked, at=at) != "done":
        return []
    item = content(session, asked.presentation.content_hash)
    _, words = in_language(item, interview.lang, asked.presentation.lang)
    now = interview.ended_at is None and asked is interview.questions[-1]
    fit = askable(session, user, interview, at=at) if now else {}
    return [
        Rung(one.prompt, one.slug if one.slug in fit else None)
        for one in words.follow_ups
    ]
