"""Never a false word: solves under every pair of options, judged by code that shares nothing with the solver.

python benchmarks/honest.py                          # 20 minutes on two processes: about ten million solves
python benchmarks/honest.py --minutes 1              # as long as there is time
python benchmarks/honest.py --replay '{"row": ...}'  # one block again, as a line of the report names it

Robots, methods, kinds of target, tolerances, limits, tools, starts and obstacles are drawn from seeds
(`honest_cases.py`) until every pair of levels has been asked; then on, more targets at a time. Every answer that is
claimed as met is measured in plain numpy, among obstacles by coal (`honest_judge.py`). A reason that a witness
refutes is a fault; so is one that a heavy search (`heavy.py`) refutes on a sample of failures without a witness.
Reachable targets that were missed without a false reason are counted apart. Exits with 1 if there is a fault.
"""

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context

import numpy as np

from forearm.core.codes import ORIENTATION, POINT_AXIS, POSE, POSITION, TOL_AXES, TOL_POSITION, TOL_ROTATION
from forearm.errors import ForearmError
from honest_cases import CHAINS, CLEARANCE, FACTORS, all_pairs, draw_block, mended, next_row, pairs_of
from honest_judge import denied, least_gap, misreported

FIRST, MOST = 24, 20_000  # targets of a block: at first, and at most
BLOCK_SECONDS = 0.5  # what a block shall take once its pace is known
STATUSES = ("solved", "out_of_reach", "limits", "orientation", "collision", "not_converged")
FALSE_IF_REACHABLE = ("out_of_reach", "limits", "orientation")
FAIR = 1e-11  # narrower tolerances, per metre of scale, may be out of what digits allow
JUDGED_BY_COAL = 40  # answers of a block
# Once every pair is covered, one block in so many has targets without a witness, and all its reasons are searched
# heavily (not before: the search takes long to compile).
FAILING_EACH, HEAVY = 8, 40
FAILING = {"method": "auto", "kind": "pose", "tol": 1e-6, "around": "nothing", "call": "batch", "explain": True}
HEAVY_STARTS = 120  # of a search that shall refute a reason
HEAVY_JOINTS = 12  # more are too slow for it
HEAVY_KINDS = {"pose": POSE, "position": POSITION, "orientation": ORIENTATION, "point-axis": POINT_AXIS}
FAULTS_TOLD = 3  # of a block


def solve_block(block):
    """Answers, statuses and sentences of a block: q, whose target, statuses, sentences, errors."""
    call, options, count = block.row["call"], dict(block.options), len(block.poses)
    method = {} if block.row["method"] == "auto" else {"method": block.row["method"]}
    targets, Q0 = block.targets(), options.pop("q0", None)
    if call == "batch":
        batch = block.robot.solve_batch(targets, Q0, threads=1, explain=block.row["explain"], **method, **options)
        words = [batch.explanations.get(i, "") for i in range(count)]
        errors = batch.position_error, batch.rotation_error
        return batch.q, np.arange(count), batch.status_names.tolist(), words, errors
    found = []
    for i in range(count):
        target, q0 = one_of(block, i), None if Q0 is None else Q0[i]
        if call == "all":
            found += [(branch, i) for branch in block.robot.solve_all(target, q0, **options)]
            continue
        swivel = {"swivel": float(np.sin(i) * 3.0)} if call == "swivel" else {}
        given = {"explain": block.row["explain"], **method, **swivel, **options}
        found.append((block.robot.solve(target, q0, **given), i))
    Q = np.array([s.q for s, _ in found]).reshape(-1, block.robot.n)
    errors = np.array([s.position_error for s, _ in found]), np.array([s.rotation_error for s, _ in found])
    rows = np.array([i for _, i in found], int)
    return Q, rows, [str(s.status) for s, _ in found], [s.reason for s, _ in found], errors


def one_of(block, i):
    """One target of a block, as a single call takes it."""
    import forearm as fa  # noqa: PLC0415

    kind, tol, T = block.row["kind"], block.given_tol, block.poses[i]
    if kind in ("pose", "pose by axes"):
        return fa.Pose(T, tol=tol)
    if kind == "orientation":
        return fa.Orientation(T[:3, :3], tol=tol)
    if kind == "point-axis":
        return fa.PointAxis(T[:3, 3], T[:3, :3] @ block.axis, tool_axis=block.axis, tol=tol)
    return fa.Position(T[:3, 3], tol=tol)


def judge_block(block, answers):
    """Faults as (target, words), and counts: claims, failures, reachable targets missed."""
    Q, rows, statuses, words, errors = answers
    faults, counts = [], Counter({"answers": len(Q)})
    met = np.array([status == "solved" for status in statuses], bool)
    counts["claims"] = int(met.sum())
    for i, word in zip(rows[met].tolist(), denied(block, Q[met], rows[met]), strict=True):
        if word:
            faults.append((i, f"claimed as met, denied: {word}"))
    for i in rows[misreported(block, Q, rows, *errors)].tolist():
        faults.append((i, "errors told are not those measured"))
    if block.row["around"] != "nothing":
        faults += judge_gaps(block, Q[met], rows[met])
    if block.row["call"] == "all":
        return faults, counts
    for i, status, sentence in zip(rows.tolist(), statuses, words, strict=True):
        counts[status] += 1
        if status == "solved":
            continue
        if "nan" in sentence or "than 0 m" in sentence:
            faults.append((i, f"no sentence: {sentence}"))
        if block.witness is None or block.row["call"] == "swivel":
            continue
        refuted = refutes(block, i, status, sentence)
        if refuted:
            faults.append((i, f"{status} is refuted by a witness: {sentence}"))
        elif is_fair(block.row):
            how = "explained" if block.row["explain"] else "quick"
            counts[f"missed {how}"] += 1
            counts[f"missed {how} {block.row['robot']}"] += 1
    return faults, counts


def is_fair(row):
    """Whether a reachable target should have been met."""
    wide = row["tol"] > FAIR * max(1.0, row["scale"])
    return wide and row["method"] in ("auto", "general") and row["around"] == "nothing"


def refutes(block, i, status, sentence):
    """Whether a witness makes a reason false."""
    if block.row["tol"] <= FAIR * max(1.0, block.row["scale"]):
        return False  # the witness's own digits
    if status in FALSE_IF_REACHABLE:
        return True
    if status == "collision" and "(proven)" in sentence:
        outer, own = least_gap(block, block.witness[i])
        return min(outer, own) > 1.05 * CLEARANCE * block.robot.reach + 1e-4
    return False


def judge_gaps(block, Q, rows):
    """Faults of answers among obstacles, the first of them by coal."""
    faults, wanted = [], CLEARANCE * block.robot.reach
    slack = 1e-7 + 1e-6 * block.robot.reach
    for i, q in zip(rows[:JUDGED_BY_COAL].tolist(), Q, strict=False):
        outer, own = least_gap(block, q)
        if outer < wanted - slack:
            faults.append((i, f"claimed as free, {outer:.3g} m from a sphere where {wanted:.3g} m was asked"))
        if own < min(wanted, 0.0125) - slack:
            faults.append((i, f"claimed as free, {own:.3g} m from itself where {wanted:.3g} m was asked"))
    return faults


def search_heavily(block, answers, count, seed):
    """Faults of reasons that a heavy search refutes, and how many it was asked about."""
    row, faults, asked = block.row, [], 0
    plain = row["kind"] in HEAVY_KINDS and 1e-9 <= row["tol"] < np.inf and block.robot.n <= HEAVY_JOINTS
    able = plain and row["call"] in ("batch", "single") and row["around"] == "nothing" and row["explain"]
    if not (able and count) or block.witness is not None or row["method"] not in ("auto", "general"):
        return faults, asked
    from heavy import search  # noqa: PLC0415 (it compiles)

    model, W = block.tooled.model, block.tooled.rotation_weight
    kept = block.limits[0] == block.limits[1]  # what is locked stays so
    kept |= np.array([kind == "prismatic" for kind in model.joint_kinds])
    free = np.where(kept, block.limits, [[-np.inf], [np.inf]])
    failures = [found for found in zip(*answers[1:4], strict=True) if found[1] in FALSE_IF_REACHABLE]
    for i, status, sentence in failures[:count]:
        asked += 1
        kind, target = HEAVY_KINDS[row["kind"]], one_of(block, i)
        limits = block.limits if block.box is None else block.box[:, i]
        questions = [("the target inside the limits", limits, kind, target.terms)]
        alone = target.terms.copy()
        alone[TOL_ROTATION] = alone[TOL_AXES : TOL_AXES + 6] = np.inf
        if status == "out_of_reach":
            questions.append(("the position without limits", free, POSITION, alone))
        if status == "orientation":
            questions.append(("the target without limits", free, kind, target.terms))
        for what, bounds, asks, terms in questions:
            arrays = model.links, model.joints, np.ascontiguousarray(bounds), target.goal, asks, terms
            q = np.empty(model.n)
            _, found = search(*arrays, W, HEAVY_STARTS, seed, np.empty((0, model.n)), q)
            if found and terms[TOL_POSITION] > 0.0:
                faults.append((i, f"{status} is refuted by a search that met {what}: {sentence}"))
                break
    return faults, asked


def run_block(row, seed, count, heavy):
    """One block: what was counted, the faults as lines, the pace; for a worker."""
    begin = time.perf_counter()
    try:
        block = draw_block(row, seed, count)
        answers = solve_block(block)
    except ForearmError as refusal:
        return Counter({"refused": 1, f"refused: {str(refusal)[:70]}": 1}), [], 0.0
    faults, counts = judge_block(block, answers)
    counts["solves"] = count
    pace = (time.perf_counter() - begin) / count
    more, asked = search_heavily(block, answers, heavy, seed[1])
    counts["searched heavily"], counts["faults"] = asked, len(faults) + len(more)
    named = json.dumps({"row": row, "seed": seed, "count": count})
    return counts, [f"target {i}: {words}\n    --replay '{named}'" for i, words in (faults + more)[:FAULTS_TOLD]], pace


def work(minutes, workers, seed, tell):
    """Runs blocks until the time is up; the counts and the faults."""
    rng, left, paces = np.random.default_rng(seed), all_pairs(), {}
    every, total, faults, number = len(left), Counter(), [], 0
    begin, running = time.perf_counter(), {}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        while (elapsed := time.perf_counter() - begin) < 60.0 * minutes or running:
            while elapsed < 60.0 * minutes and len(running) < workers + 1:
                row = next_row(rng, left)
                failing = not left and number % FAILING_EACH == 0
                if failing:
                    row = mended(row | FAILING | {"aim": str(rng.choice(["beyond", "anywhere"]))})
                key = (row["method"], row["around"], row["explain"], row["call"], row["robot"] in CHAINS)
                count = FIRST if left or key not in paces else int(np.clip(BLOCK_SECONDS / paces[key], 4, MOST))
                count = 4 if row["call"] == "all" and left else count  # hundreds of searches each
                count = HEAVY if failing else count
                left -= pairs_of(row)
                running[pool.submit(run_block, row, (seed, number), count, 0 if left else HEAVY)] = key
                number += 1
            done, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for job in done:
                counts, lines, pace = job.result()
                total += counts
                faults += lines
                key = running.pop(job)
                paces[key] = max(0.5 * (pace + paces.get(key, pace)), 1e-6)
                for line in lines:
                    print(f"\r\033[K{line}", flush=True)
            tell(elapsed / 60.0, minutes, total, every - len(left), every)
    return total, faults, (every - len(left), every)


def bar(elapsed, minutes, total, covered, every):
    """Draws how far it is."""
    share = min(1.0, elapsed / minutes)
    line = f"[{'#' * int(30 * share):<30}] {elapsed:.1f} of {minutes:g} min  {total['solves']:,} solves"
    line += f"  {total['claims']:,} claims  {total['faults']} faults  {covered}/{every} pairs"
    print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def replay(text):
    """One block again, with every fault in full."""
    asked = json.loads(text)
    block = draw_block(asked["row"], tuple(asked["seed"]), asked["count"])
    answers = solve_block(block)
    faults, counts = judge_block(block, answers)
    faults += search_heavily(block, answers, 12, asked["seed"][1])[0]
    for i, words in faults:
        shown = block.witness[i].tolist() if block.witness is not None else None
        print(f"target {i}: {words}\n  {one_of(block, i)}\n  witness {shown}\n  options {block.options}")
    print(dict(counts))
    return len(faults)


def main() -> int:
    """Prints what was counted, and every fault with what makes it again; 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=20.0, help="how long to go on")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    parser.add_argument("--replay", help="a block as a fault names it")
    options = parser.parse_args()
    if options.replay:
        return 1 if replay(options.replay) else 0
    total, faults, (covered, every) = work(options.minutes, options.workers, options.seed, bar)
    print(file=sys.stderr)
    what = f"{total['solves']:,} solves on {len(FACTORS['robot'])} robots, {covered} of {every} pairs of options"
    print(f"{what}, seed {options.seed}")
    print(f"{total['claims']:,} claims, {total['faults']} faults; {total['searched heavily']} reasons searched heavily")
    print(", ".join(f"{name} {total[name]:,}" for name in STATUSES))
    missed, quick = total["missed explained"], total["missed quick"]
    print(f"reachable and missed without a false reason: {missed} explained, {quick} of calls with explain=False")
    for name, count in total.most_common():
        if name.startswith(("refused", "missed ")):
            print(f"  {name}: {count}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
