"""The goal, and where it leads."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from apiflask import APIBlueprint

from quizsvc import db, practice
from quizsvc.practice import Plan
from quizsvc.schemas import PlanIn, PlanOut

bp = APIBlueprint("plan_api", __name__, url_prefix="/api/v1", tag="Plan")


@bp.get("/plan")
@bp.output(PlanOut)
def plan() -> dict[str, Any]:
    """The goal and its forecast: recall on the day with a 90 % band, the load until then,
    and what one minute a day more or fewer would change.

    Without an interview to come it looks 30 days ahead. The notes say what is unusual:
    past-date, no-minutes, no-questions, time-is-short.
    """
    session, at = db.session(), datetime.now(UTC)
    return _out(practice.plan(session, practice.local_user(session, at=at), at=at))


@bp.put("/plan")
@bp.input(PlanIn)
@bp.output(PlanOut)
def set_plan(json_data: PlanIn) -> dict[str, Any]:
    """Set the goal; what the body leaves out stays as it is. Replies with the new plan.

    A date in the past and no minutes are accepted, and the notes of the plan say so. A
    new target retention moves every due day.
    """
    session, at = db.session(), datetime.now(UTC)
    user = practice.local_user(session, at=at)
    wanted = replace(practice.goal(user), **json_data.model_dump(exclude_unset=True))
    practice.set_goal(session, user, wanted, at=at)
    body = _out(practice.plan(session, user, at=at))
    session.commit()
    return body


def _out(plan: Plan) -> dict[str, Any]:
    return vars(plan.goal) | vars(plan)
