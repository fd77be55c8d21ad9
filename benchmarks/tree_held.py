"""Whole robots whose links are held apart by charts, judged by Pinocchio and coal on the shapes of their files.

python benchmarks/tree_held.py --count 1000 --robots "baxter,tiago dual,pr2,talos"

Random postures, and answers to poses of the robot's tips that those have that are told free. Of every pair of links
that a chart tells of: how many are told free and touch, told to touch and do not; of links that are left out: how many
touch in answers that are told free. Shapes that touch in nine of ten postures, by coal, are made to and do not count.
What charts cost: to make, and to look up.
"""

import argparse
import os
import tempfile
import time
from functools import cached_property

import coal
import numpy as np
import pinocchio as pin

import forearm as fa
from forearm.arm.charts.make import MOSTLY_TOUCH, NO_CHARTS
from forearm.arm.geometry import heads_of
from forearm.common.kept import VARIABLE
from forearm.core.arm.chart import BODY_A, BODY_B, chart_gap
from forearm.core.tree.among import tree_gaps
from forearm.trees.collision.among import guard_of
from forearm.trees.collision.charts import chart
from forearm.trees.collision.shapes import scratch, standing
from tree_cases import DATA, ROBOTS, Case, bar

NAMES = {"talos": "talos + com"}
NEAR = 0.005  # within it [m] a chart may well say that links touch
MADE_SO, LOOKS = 0.9, 100  # shapes that touch in such a share of so many postures do not count
ROUNDS, SHOWN, MANY = 20, 3, 20_000


class Judge:
    """The shapes of a robot's file on its links, as Pinocchio reads and places them, measured by coal."""

    def __init__(self, case):
        self.case, folders = case, [str(DATA.parents[1])]
        path = str(DATA / ROBOTS[case.name][0])
        self.geometry = pin.buildGeomFromUrdf(case.model, path, pin.GeometryType.COLLISION, package_dirs=folders)
        self.data = pin.GeometryData(self.geometry)
        self.shapes, self.made_so = {}, set()
        for k, each in enumerate(self.geometry.geometryObjects):
            self.shapes.setdefault(case.model.frames[each.parentFrame].name, []).append(k)

    def place(self, q):
        """Places all shapes, with a base that moves at the origin."""
        full = self.case.configuration(q, np.eye(4))
        pin.updateGeometryPlacements(self.case.model, self.case.data, self.geometry, self.data, full)

    def leave_out(self, pairs, Q):
        """Leaves out those shapes of pairs of links that touch in most postures."""
        counts = {}
        for q in Q:
            self.place(q)
            for links in pairs:
                for both, part in self.parts(links):
                    counts[both] = counts.get(both, 0) + touch(part)
        self.made_so = {both for both, count in counts.items() if count >= MADE_SO * len(Q)}

    def parts(self, links):
        """The numbers of pairs of shapes of two links, and these placed."""
        shapes, placed = self.geometry.geometryObjects, self.data.oMg
        placed = {k: coal.Transform3s(placed[k].rotation, placed[k].translation) for a in links for k in self.shapes[a]}
        for i in self.shapes[links[0]]:
            for j in self.shapes[links[1]]:
                if (i, j) not in self.made_so:
                    yield (i, j), (shapes[i].geometry, placed[i], shapes[j].geometry, placed[j])

    def touches(self, links):
        """Whether two links touch, as placed."""
        return any(touch(part) for _, part in self.parts(links))

    def distance(self, links):
        """How far two links are apart, as placed [m]; 0 or less where they touch."""
        return min(coal.distance(*part, coal.DistanceRequest(), coal.DistanceResult()) for _, part in self.parts(links))


def touch(part):
    """Whether two placed shapes touch."""
    return coal.collide(*part, coal.CollisionRequest(), coal.CollisionResult()) > 0


class Held:
    """A robot with its charts."""

    def __init__(self, name):
        self.name, self.case = name, Case(NAMES.get(name, name))
        self.tree, self.judge = self.case.tree, Judge(self.case)
        self.seconds = self.made_in()
        self.geometry = self.tree.body.charted
        self.guard = guard_of(self.tree.body, None, 0.0, True)
        self.judge.leave_out([*self.pairs, *self.beyond], self.tree.sample(LOOKS, 1))

    def made_in(self):
        """How long charts take to be made, with nothing kept on disk [s]; capsules are known."""
        geometry, kept = self.tree.body.geometry, os.environ.get(VARIABLE)
        with tempfile.TemporaryDirectory() as folder:
            os.environ[VARIABLE] = folder
            begin = time.perf_counter()
            chart(self.tree.body, geometry)
            taken = time.perf_counter() - begin
        os.environ.pop(VARIABLE) if kept is None else os.environ.update({VARIABLE: kept})
        return taken

    @cached_property
    def pairs(self):
        """The links of every chart, and the rows that charts of both have."""
        charts, found = self.geometry.charts.rows, {}
        for first in heads_of(charts):
            links = tuple(self.geometry.names[int(charts[first, column])] for column in (BODY_A, BODY_B))
            found.setdefault(links, []).append(first)
        return found

    @cached_property
    def beyond(self):
        """The links that are left out because too many joints lie between them, or without shapes."""
        return [links for links, why in self.geometry.left_out.items() if why.startswith(MOSTLY_TOUCH)]

    def told(self, links, q):
        """The gap that charts tell of two links [m]."""
        return min(chart_gap(self.geometry.charts.rows, first, q) for first in self.pairs[links])


def run_pairs(held, Q):
    """Every charted pair in random postures."""
    count, touching, false, denied, far = 0, 0, [], 0, 0
    for q in bar(Q, f"{held.name}, pairs"):
        held.judge.place(q)
        for links in held.pairs:
            told, touches = held.told(links, q) >= 0.0, held.judge.touches(links)
            count, touching = count + 1, touching + touches
            if told and touches:
                false.append(links)
            elif not told and not touches:
                denied += 1
                far += held.judge.distance(links) > NEAR
    return {
        "pairs in random postures": count,
        "touching": touching,
        "told free and touching": len(false),
        "denied though free": denied,
        f"of these farther apart than {1e3 * NEAR:g} mm": far,
        "share of free ones denied": round(denied / max(count - touching, 1), 4),
    } | ({"which": shown(false)} if false else {})


def shown(links):
    """Some of the pairs, and how many they are."""
    each = sorted(set(links))
    return f"{len(each)} pairs: {each[:SHOWN]}"


def checked(guard, Q, charts):
    """(N,) whether postures are told free, as a search is told."""
    gaps, nearest = np.empty(len(Q)), np.empty((len(Q), 2), np.int64)
    bodies, pairs, _, obstacles = guard.world
    work = np.empty(scratch(guard.bare, len(bodies)))
    tree_gaps(guard.bare.numbers, bodies, pairs, charts, obstacles, 0.0, standing(Q), work, gaps, nearest)
    return gaps == np.inf


def run_postures(held, Q):
    """Random postures as a whole, with and without charts."""
    rows = {"with charts": held.guard.world[2], "without": NO_CHARTS.rows}
    told = {name: checked(held.guard, Q, charts) for name, charts in rows.items()}
    found = {"postures": len(Q)}
    for name, which in told.items():
        wrong = 0
        for q in Q[which]:
            held.judge.place(q)
            wrong += any(held.judge.touches(links) for links in held.pairs)
        found |= {f"told free {name}": int(which.sum()), f"of these touching, {name}": wrong}
    times = np.empty((2, ROUNDS))
    for k in range(ROUNDS):
        for row, charts in zip(times, rows.values(), strict=True):
            begin = time.perf_counter()
            checked(held.guard, Q, charts)
            row[k] = 1e6 * (time.perf_counter() - begin) / len(Q)
    best = times.min(axis=1)
    return found | {
        "check with charts [us]": round(float(best[0]), 2),
        "without [us]": round(float(best[1]), 2),
        "charts": len(held.geometry.charts.surfaces),
    }


def free_postures(held, count, seed):
    """(count, n) random postures that are told free, or as many as there are among many."""
    Q = held.tree.sample(MANY, seed + 1)
    return Q[checked(held.guard, Q, held.guard.world[2])][:count]


def run_answers(held, Q):
    """Answers to poses of the tips that free postures have, and whether what is told free touches.

    Joints that no goal moves start where those postures have them, all others at rest.
    """
    stack = held.tree.stack({tip: np.eye(4) for tip in held.case.tips})
    unused = stack.among(None, 0.0, True).unused
    told, touching, beyond, met, times, tries = 0, [], [], 0, [], []
    for q in bar(Q, f"{held.name}, answers"):
        for tip in held.case.tips:
            stack[tip] = held.tree.fk(q, tip)
        start = held.tree.body.rest
        start[unused] = q[unused]
        begin = time.thread_time()
        found = stack.solve(start, self_collision=True, clearance=0.0, explain=False)
        times.append(1e3 * (time.thread_time() - begin))
        tries.append(found.tries)
        met += all(error.met for error in found.errors.values())
        if found.success:
            told += 1
            held.judge.place(found.q)
            touching += [links for links in held.pairs if held.judge.touches(links)]
            beyond += [links for links in held.beyond if held.judge.touches(links)]
    return {
        "answers": len(Q),
        "all goals met": met,
        "told free": told,
        "told free and touching, charted pairs": len(touching),
        "touching, pairs left out": len(beyond),
        "tries, median and most": [float(np.median(tries)), max(tries)],
        "time, median and p99 [ms]": np.percentile(times, [50, 99]).round(2).tolist(),
    } | {name: shown(links) for name, links in (("which", touching), ("which are left out", beyond)) if links}


def main():
    """Prints lines for each robot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--answers", type=int, help="a fifth of the count by default")
    parser.add_argument("--robots", default="baxter,tiago dual,pr2,talos")
    parser.add_argument("--seed", type=int, default=18_000)
    given = parser.parse_args()
    print(f"forearm {fa.__version__}, pinocchio {pin.__version__}, coal {coal.__version__}, seed {given.seed}")
    for name in given.robots.split(","):
        held = Held(name)
        Q = held.tree.sample(given.count, given.seed)
        answers = given.answers if given.answers is not None else given.count // 5
        more = [links for links in held.beyond if "joints between" in held.geometry.left_out[links]]
        lines = [
            {
                "charted pairs": len(held.pairs),
                "left out, more joints between": len(more),
                "left out otherwise": len(held.beyond) - len(more),
                "rows": len(held.geometry.charts.rows),
                "made in [s]": round(held.seconds, 1),
            },
            run_pairs(held, Q),
            run_postures(held, Q),
            run_answers(held, free_postures(held, answers, given.seed)),
        ]
        for line in lines:
            print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in line.items()), flush=True)


if __name__ == "__main__":
    main()
