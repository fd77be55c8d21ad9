"""Strict levels against a long search, and verdicts on goals that cannot be met; both searches know Pinocchio alone.

The long search of levels is NLopt's SLSQP: hands as near as can be while feet and centre of mass hold, from several
starts. The heavy search of verdicts is Levenberg-Marquardt in NumPy, from many random configurations.
"""

import time

import nlopt
import numpy as np
import pinocchio as pin

import forearm as fa
from forearm.errors import ForearmError
from forearm.goals import CenterOfMass, Goal
from tree_cases import TOL, Case, bar

STARTS, EVALUATIONS, HOLDS = 6, 150, 1e-5  # of SLSQP; what its feet and centre of mass may be off [m], [rad]
HEAVY_STARTS, HEAVY_STEPS = 60, 40
COMPARED = 200  # of the level sets, those that the long search looks at unless it shall look at all


# -- levels --------------------------------------------------------------------------------------


def run_levels(count, seed):
    """G1: feet and centre of mass first, hands asked for 1.5 m beyond a point that they reach at level 2."""
    case, rng = Case("g1 + com"), np.random.default_rng(seed)
    feet, hands = case.tips[:2], case.tips[2:]
    goals = [Goal(link, np.eye(4)) for link in feet] + [CenterOfMass(np.zeros(3))]
    stack = case.tree.stack(goals + [Goal(link, fa.Position(np.zeros(3)), level=2) for link in hands])
    kept, ratios, spent, longer, unanswered = 0, [], [], [], 0
    for i in bar(range(count), "strict levels"):
        wanted, q, base = case.goals(rng)
        first = {link: wanted[link] for link in (*feet, "centre of mass")}
        points = {}
        for link in hands:
            away = wanted[link][:3, 3] - base[:3, 3]
            points[link] = base[:3, 3] + away * (1.0 + 1.5 / np.linalg.norm(away))
        for name, target in (first | {link: fa.Position(point) for link, point in points.items()}).items():
            stack[name] = target
        begin = time.thread_time()
        stack.solve(explain=False)
        spent.append(time.thread_time() - begin)
        begin = time.thread_time()
        found = stack.solve()
        longer.append(time.thread_time() - begin)
        kept += case.is_met(found.q, found.base, first)
        if i < COMPARED or count > COMPARED:
            own = np.sqrt(sum(found.errors[link].position ** 2 for link in hands))
            best = long_search(case, first, points, [(found.q, found.base), (q, base)], rng)
            unanswered += not np.isfinite(best)
            ratios.append(own / min(best, own) - 1.0)
    yield {
        "levels": "g1, hands out of reach",
        "count": count,
        "level 1 kept": kept,
        "python without and with explain [us]": (1e6 * np.mean([spent, longer], axis=1)).round(0).tolist(),
        "level 2 against SLSQP, compared": len(ratios),
        "within 5 %": int(np.sum(np.array(ratios) <= 0.05)),
        "median, p90, most": np.round([*np.percentile(ratios, [50, 90]), max(ratios)], 4).tolist(),
        "SLSQP found nothing": unanswered,
    }


def long_search(case, first, points, begins, rng):
    """The least error of the points [m] that SLSQP finds with the first goals held; infinite if it finds none."""
    model, best = case.model, np.inf
    for k in range(STARTS):
        q, base = begins[k % len(begins)]
        start = case.configuration(q, base)
        if k >= len(begins):
            start = pin.integrate(model, start, 0.3 * (k // 2) * rng.normal(size=model.nv))
            start[7:] = np.clip(start[7:], model.lowerPositionLimit[7:], model.upperPositionLimit[7:])
        best = min(best, descend(case, first, points, start))
    return best


def descend(case, first, points, start):
    """One run of SLSQP in the tangent space of a start."""
    model, data = case.model, case.data
    n = model.nv
    frames = {name: model.getFrameId(name) for name in (*first, *points) if name != "centre of mass"}

    def look(v):
        q = pin.integrate(model, start, v)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        return q, pin.dIntegrate(model, start, v)[1]

    def cost(v, gradient):
        _, way = look(v)
        total, slope = 0.0, np.zeros(n)
        for name, point in points.items():
            e = data.oMf[frames[name]].translation - point
            J = pin.getFrameJacobian(model, data, frames[name], pin.LOCAL_WORLD_ALIGNED)[:3]
            total, slope = total + e @ e, slope + 2.0 * e @ J
        if gradient.size:
            gradient[:] = slope @ way
        return float(total)

    def hold(result, v, gradient):
        q, way = look(v)
        rows, e = [], []
        for name, target in first.items():
            if name == "centre of mass":
                rows.append(pin.jacobianCenterOfMass(model, data, q))
                e.append(data.com[0] - target)
            else:
                away = pin.SE3(target).actInv(data.oMf[frames[name]])
                J = pin.getFrameJacobian(model, data, frames[name], pin.LOCAL)
                rows.append(pin.Jlog6(away) @ J)
                e.append(pin.log6(away).vector)
        result[:] = np.concatenate(e)
        if gradient.size:
            gradient[:] = np.vstack(rows) @ way

    search = nlopt.opt(nlopt.LD_SLSQP, n)
    search.set_min_objective(cost)
    search.add_equality_mconstraint(hold, np.full(15, 1e-8))
    low, high = np.full(n, -4.0), np.full(n, 4.0)
    low[6:] = np.minimum(model.lowerPositionLimit[7:] - start[7:], 0.0)
    high[6:] = np.maximum(model.upperPositionLimit[7:] - start[7:], 0.0)
    search.set_lower_bounds(low)
    search.set_upper_bounds(high)
    search.set_maxeval(EVALUATIONS)
    search.set_ftol_rel(1e-7)
    try:
        v = search.optimize(np.zeros(n))
    except (nlopt.RoundoffLimited, nlopt.runtime_error, nlopt.invalid_argument):
        return np.inf
    off = np.empty(15)
    hold(off, v, np.empty((0, 0)))
    return np.sqrt(cost(v, np.empty(0))) if np.abs(off).max() <= HOLDS else np.inf


# -- verdicts ------------------------------------------------------------------------------------


def run_verdicts(count, seed):
    """Goals too far, in conflict, of joints beyond their limits, and hostile ones, on PR2 and two UR10."""
    kinds = {"far": far, "conflict": conflict, "limits": limits, "hostile": hostile}
    cases, rng = [Case("pr2"), Case("dual ur10")], np.random.default_rng(seed)
    tally = {kind: [0, 0, []] for kind in kinds}
    for i in bar(range(count), "verdicts"):
        kind = list(kinds)[i % len(kinds)]
        fault = kinds[kind](cases[(i // len(kinds)) % 2], rng)
        tally[kind][0] += 1
        tally[kind][1] += not fault
        tally[kind][2] += [f"{i}: {fault}"] if fault else []
    for kind, (asked, right, faults) in tally.items():
        yield {"verdicts": kind, "count": asked, "right": right, "wrong": faults[:5]}


def judged(case, goals, found):
    """What is wrong with a verdict, by the heavy search; nothing if it is right."""
    lower, upper = case.tree.limits
    inside = ((found.q >= lower - 1e-9) & (found.q <= upper + 1e-9)).all()
    if not inside:
        return "outside limits"
    case.place(found.q, found.base)
    met = max(np.abs(errors(case, link, target)[0]).max() for link, target in goals) <= 2 * TOL
    if found.success != met:
        return f"says {found.status}, Pinocchio says {'met' if met else 'missed'}"
    if not found.success and heavy_search(case, goals) <= TOL:
        return f"says {found.status}, the heavy search meets it"
    return ""


def far(case, rng):
    """A hand 1 to 4 m farther out than it is: out of reach, or missed."""
    wanted, _, _ = case.goals(rng)
    link = case.tips[0]
    away = wanted[link].copy()
    away[:3, 3] *= 1.0 + rng.uniform(1.0, 4.0) / np.linalg.norm(away[:3, 3])
    goals = {**wanted, link: away}
    found = case.tree.solve(goals)
    fault = judged(case, list(goals.items()), found)
    if not fault and found.status is fa.Status.OUT_OF_REACH and link not in found.missed:
        fault = "out of reach names another goal"
    return fault


def conflict(case, rng):
    """One hand asked to two places, each of which it reaches."""
    one, _, _ = case.goals(rng)
    other, _, _ = case.goals(rng)
    link = case.tips[0]
    goals = [Goal(link, one[link]), Goal(link, fa.Position(other[link][:3, 3]), name="other")]
    found = case.tree.solve(goals)
    asked = [(link, one[link]), (link, other[link][:3, 3])]
    fault = judged(case, asked, found)
    told = " ".join(found.missed.values())
    return fault or ("" if found.success or "in conflict with" in told else f"does not tell the conflict: {told}")


def limits(case, rng):
    """A pose of joints far outside their limits: perhaps met otherwise, which the heavy search knows."""
    lower, upper = case.tree.limits
    q, _ = case.draw(rng)
    bounded = np.isfinite(upper) & (upper - lower < 6.0)
    q = np.where(bounded & (rng.random(q.size) < 0.5), upper + rng.uniform(0.2, 0.6, q.size), q)
    case.place(q, np.eye(4))
    goals = {link: case.pose(link) for link in case.tips}
    return judged(case, list(goals.items()), case.tree.solve(goals))


def hostile(case, rng):
    """What is no goal, or hardly one: refused by an error of forearm's, or missed in words; never a success."""
    T = np.eye(4)
    T[:3, 3] = rng.uniform(-1, 1, 3)
    bad = [
        T * np.nan, T[:3], T * np.inf, np.where(np.eye(4) > 0, 1e200, T), np.diag([1.0, 1.0, -1.0, 1.0]), 2.0 * T, "T",
        None, [], {}, T[None], np.full((4, 4), 1e-300), T + 1e9 * np.array([[0, 0, 0, 1]] * 3 + [[0, 0, 0, 0]]), -T,
        T.astype(complex) * 1j, np.zeros((4, 4)),
    ]  # fmt: skip
    target = bad[int(rng.integers(len(bad)))]
    try:
        found = case.tree.solve({case.tips[0]: target, case.tips[1]: T})
    except ForearmError as refused:
        return "" if str(refused) else "an error without words"
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return "a success" if found.success else "" if np.isfinite(found.q).all() and found.reason else "no words"


def errors(case, link, target):
    """(3 or 6,) the error of a link as placed, and its Jacobian's rows, if the Jacobians are there."""
    frame = case.model.getFrameId(link)
    here = case.data.oMf[frame]
    if np.shape(target) == (3,):
        return here.translation - target, slice(0, 3), frame, pin.LOCAL_WORLD_ALIGNED, None
    away = pin.SE3(target).actInv(here)
    return pin.log6(away).vector, slice(0, 6), frame, pin.LOCAL, away


def heavy_search(case, goals):
    """The least of the largest errors that Levenberg-Marquardt finds from many random configurations."""
    model, data, best = case.model, case.data, np.inf
    rng, lower, upper = np.random.default_rng(1), *case.tree.limits
    columns = [model.joints[model.getJointId(name)].idx_v for name in case.tree.joint_names]
    for _ in range(HEAVY_STARTS):
        q, base = case.draw(rng)
        damping, before = 1e-2, np.inf
        for _ in range(HEAVY_STEPS):
            full = case.configuration(q, base)
            pin.computeJointJacobians(model, data, full)
            pin.updateFramePlacements(model, data)
            rows, e = [], []
            for link, target in goals:
                error, part, frame, kind, away = errors(case, link, target)
                J = pin.getFrameJacobian(model, data, frame, kind)[part][:, columns]
                rows.append(J if away is None else pin.Jlog6(away) @ J)
                e.append(error)
            J, e = np.vstack(rows), np.concatenate(e)
            best = min(best, float(np.abs(e).max()))
            now = float(e @ e)
            if best <= TOL or not np.isfinite(now):
                return best
            damping = max(damping * (0.3 if now < before else 5.0), 1e-10)
            before = now
            g = -J.T @ e
            held = ((q <= lower) & (g < 0)) | ((q >= upper) & (g > 0))
            J = np.where(held, 0.0, J)
            q = np.clip(q + np.linalg.solve(J.T @ J + damping * np.eye(len(q)), -J.T @ e), lower, upper)
    return best
