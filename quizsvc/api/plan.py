"""The goal, and where it leads."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from apiflask import APIBlueprint

from quizsvc import db, practice
from quizsvc.api import etags
from quizsvc.practice import Goal, Plan
from quizsvc.practice.users import lock
from quizsvc.schemas import GoalOut, PlanIn, PlanOut

bp = APIBlueprint("plan_api", __name__, url_prefix="/api/v1", tag="Plan")


@bp.get("/plan")
@bp.output(PlanOut)
def plan() -> tuple[dict[str, Any], int, dict[str, str]]:
    """The goal and its forecast: recall on the day with a 90 % band, the way to it, the
    load of the days, what today is worth, and one minute a day more or fewer.

    Without an interview to come it looks 30 days ahead. The notes say what is unusual:
    past-date, no-minutes, no-questions, time-is-short. The ETag is that of the goal, for
    If-Match alone: the forecast moves under it, so If-None-Match is not heeded and the
    plan is told whole each time.
    """
    session, at = db.session(), datetime.now(UTC)
    return _out(practice.plan(session, practice.local_user(session, at=at), at=at))


@bp.put("/plan")
@bp.input(PlanIn)
@bp.output(PlanOut)
@bp.doc(responses=[412, 428], extensions={"x-if-match": True})
def set_plan(json_data: PlanIn) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Set the goal; what the body leaves out stays as it is. Replies with the new plan.

    If-Match names the ETag that was read: 428 without it, 412 when the goal has changed
    since. A date in the past and no minutes are accepted, and the notes of the plan say
    so. A new target retention moves every due day.
    """
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    lock(session, user)
    before = practice.goal(user)
    etags.check(_etag(before))
    wanted = replace(before, **json_data.model_dump(exclude_unset=True))
    practice.set_goal(session, user, wanted, at=at)
    found = _out(practice.plan(session, user, at=at))
    session.commit()
    return found


def _out(plan: Plan) -> tuple[dict[str, Any], int, dict[str, str]]:
    return vars(plan.goal) | vars(plan), 200, etags.header(_etag(plan.goal))


def _etag(goal: Goal) -> str:
    return GoalOut.model_validate(goal).etag
