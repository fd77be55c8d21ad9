"""Servos: bounds under wild streams, what is followed, how rough it is, and what a tick takes; judged by numpy.

python benchmarks/servo.py                                    # all, 10^7 wild ticks and an hour of soak: long
python benchmarks/servo.py --parts streams                    # the streams of everyday work
python benchmarks/servo.py --parts streams --robots panda --rates 1000 --peers pink mink placo --cut 2000
python benchmarks/servo.py --parts far                        # random far targets that stand
python benchmarks/servo.py --parts wild --ticks 200000        # bounds under wild streams, also among obstacles
python benchmarks/servo.py --parts time --ticks 200000        # microseconds a tick, slowest ticks
python benchmarks/servo.py --parts soak --ticks 360000        # memory and bits

`wild` measures what came out by differences of joint values: limits, velocity, acceleration, and the clearance of
every configuration; it exits 1 if one is broken. `time` calls a kernel that does nothing in turns
with a tick, tick by tick: what the slowest of both share is the machine's.
"""

import argparse
import hashlib
import resource
import sys
import time

import numpy as np

import forearm as fa
import servo_peers
import servo_streams as streams
from cases import independent_fk
from driving import share
from forearm.core.closed_form.held import held_range

ARMS = ("ur5", "panda", "iiwa14", "z1")
RATES = (1000, 60)
KINDS = ("eight", "fold", "wrist", "shoulder", "leaving", "steps", "noisy", "flips")
FROM_JOINTS = ("fold", "wrist", "shoulder")
EXACTLY = 1e-6  # how far off the tip may be where a stream can be followed [m]
CLEARANCE = 0.01
BLOCK = 20000  # ticks of a wild stream that are made and judged at a time
ROUNDS = 20  # of a stream of 10 s at 1 kHz for each time that is taken
GOALS = {"Python": 4.0, "kernel": 2.0}  # of a tick [us]
TIMES_FASTER = 50.0  # than a peer
INTERRUPTED = 30.0  # a tick that took longer was interrupted [us]
EPS = np.finfo(float).eps


def arm_of(name):
    """An arm of the catalog; the Z1 from the files that come with Pinocchio."""
    if name != "z1":
        return fa.load(name)
    file = share("cmeel.prefix", "share/example-robot-data/robots/z1_description/urdf/z1.urdf")
    return fa.Robot.from_urdf(file, tip="link06")


def drive(servo, targets):
    """(N, n) joint values of every tick."""
    out = np.empty((len(targets), len(servo.velocity_limits)))
    for i, target in enumerate(targets):
        out[i] = servo(target)
    return out


class Judge:
    """The worst that differences of joint values say of every bound, over all that it has seen."""

    def __init__(self, arm, servo, q0):
        self.arm, self.servo, self.q, self.v = arm, servo, np.array(q0), np.zeros(arm.n)
        self.position = self.speed = self.acceleration = -np.inf
        self.finite = True

    def see(self, Q):
        """Looks at the next ticks."""
        rate, (lower, upper) = self.servo.rate, self.arm.limits
        v = np.diff(np.vstack([self.q, Q]), axis=0) * rate
        a = np.diff(np.vstack([self.v, v]), axis=0) * rate
        self.q, self.v = Q[-1], v[-1]
        digits = 4.0 * EPS * max(1.0, float(np.abs(Q).max()))  # of joint values, which differences magnify
        self.finite = self.finite and bool(np.isfinite(Q).all())
        self.position = max(self.position, (lower - Q).max(), (Q - upper).max())
        fastest, hardest = self.servo.velocity_limits, self.servo.acceleration_limits
        self.speed = max(self.speed, ((np.abs(v) - digits * rate) / fastest).max() - 1.0)
        self.acceleration = max(self.acceleration, ((np.abs(a) - 2 * digits * rate**2) / hardest).max() - 1.0)

    @property
    def kept(self):
        """Whether every bound was kept."""
        return self.finite and self.position <= 0.0 and self.speed <= 1e-12 and self.acceleration <= 1e-8

    def __str__(self):
        """The worst of each."""
        beyond = f"limits {self.position:.1e}, velocity {self.speed:.1e}, acceleration {self.acceleration:.1e}"
        return f"{'kept' if self.kept else 'BROKEN'} (beyond: {beyond})"


def wild(ticks):
    """Wild streams on every arm at both rates, then a 6R among obstacles; True if all was kept."""
    good = True
    for name in (*ARMS, "ur5 among spheres"):
        arm, q0 = arm_of(name.split()[0]), np.array(streams.STARTS[name.split()[0]])
        tip = arm.fk(q0)[:3, 3]
        obstacles = [fa.Sphere(tip - np.array([0, 0, 0.25]), 0.1), fa.Sphere(tip + np.array([0.25, 0.1, 0.1]), 0.08)]
        guard = {"obstacles": obstacles, "clearance": CLEARANCE} if "among" in name else {}
        for rate in RATES:
            servo = arm.servo(q0, rate, **guard)
            judge, least, began, left, block = Judge(arm, servo, q0), np.inf, time.process_time(), ticks, 0
            while left > 0:
                Q = drive(servo, streams.wild(arm, q0, rate, min(left, BLOCK), block))
                judge.see(Q)
                if guard:
                    least = min(least, arm.clearance(Q, obstacles, self_collision=False).distance.min())
                left, block = left - BLOCK, block + 1
            good = good and judge.kept and least >= CLEARANCE
            near = f", least clearance {1e3 * least:.4f} mm of {1e3 * CLEARANCE:g}" if guard else ""
            spent = time.process_time() - began
            print(f"{name:18s}{rate:5d} Hz, {ticks} ticks: {judge}{near}; {spent:.0f} s", flush=True)
    return good


def stream_of(kind, arm, q0, rate):
    """Start, targets, the truth behind them, and where they were made from joints that move, those; None if none."""
    made = getattr(streams, kind)(arm, q0, rate)
    if made is None:
        return None
    if kind in FROM_JOINTS:
        return made[0][0], made[1], made[1], made[0]
    return (q0, *made, None) if kind == "noisy" else (q0, made, made, None)


def needed(servo, Q):
    """The greatest share of the bounds on speed and acceleration that a motion in joints takes, by differences."""
    v = np.diff(Q, axis=0) * servo.rate
    a = np.diff(v, axis=0) * servo.rate
    return (np.abs(v) / servo.velocity_limits).max(), (np.abs(a) / servo.acceleration_limits).max()


def measure(arm, rate, start, Q, truth):
    """Rms and largest error of the tip [m], rms acceleration, ticks over the bound of 10 rad/s2."""
    off = np.linalg.norm(independent_fk(arm, Q)[:, :3, 3] - truth[:, :3, 3], axis=1)
    v = np.diff(np.vstack([start, Q]), axis=0) * rate
    a = np.diff(np.vstack([np.zeros(arm.n), v]), axis=0) * rate
    over = int((np.abs(a) > 10.0 * (1 + 1e-8)).any(axis=1).sum())
    return np.sqrt((off**2).mean()), off.max(), off[-1], np.sqrt((a**2).mean()), over


def overshoot(arm, start, Q, targets):
    """The most that the tip passes a step's end, along the step [share of the step]."""
    P, worst, at = independent_fk(arm, Q)[:, :3, 3], 0.0, arm.fk(start)[:3, 3]
    ends = np.flatnonzero((np.diff(targets[:, :3, 3], axis=0) != 0).any(axis=1)) + 1
    for first, last in zip([0, *ends], [*ends, len(targets)], strict=True):
        way = targets[first, :3, 3] - at
        worst = max(worst, ((P[first:last] - at) @ way / (way @ way)).max() - 1.0)
        at = P[last - 1]
    return max(0.0, worst)


def follow(names, rates, peers=(), cut=None):
    """The streams of everyday work, a line each; of peers, which take long, the first ticks of each where it is cut."""
    for name in names:
        arm = arm_of(name)
        for rate in rates:
            for kind in KINDS:
                made = stream_of(kind, arm, np.array(streams.STARTS[name]), rate)
                if made is None:
                    continue
                start, targets, truth, joints = made
                targets, truth = targets[:cut], truth[:cut]
                servo = arm.servo(start, rate, acceleration=10.0)
                driven, missing = servo_peers.drivers(arm, start, rate, servo, peers)
                ours = None
                if missing:
                    print(f"{name:7s}{rate:5d} Hz {kind:9s}cannot be loaded: {', '.join(missing)}")
                for who, driver in driven:
                    began = time.process_time()
                    Q = np.array([driver(T) for T in targets])
                    spent = 1e6 * (time.process_time() - began) / len(targets)
                    rms, most, end, rough, over = measure(arm, rate, start, Q, truth)
                    more = f", overshoot {100 * overshoot(arm, start, Q, targets):.3f} %" if kind == "steps" else ""
                    ours = ours or spent
                    if joints is not None and most > EXACTLY:
                        speed, hard = needed(servo, joints)
                        more += (
                            f", MISSED: {100 * speed:.0f} % of speed and {100 * hard:.0f} % of acceleration are enough"
                        )
                    if who != "forearm":
                        more += f", {spent / ours:.1f} times forearm's"
                        more += "" if spent >= TIMES_FASTER * ours else f" (MISSED: goal {TIMES_FASTER:g})"
                    print(
                        f"{name:7s}{rate:5d} Hz {kind:9s}{who:14s} error rms {1e3 * rms:9.4f} max {1e3 * most:9.4f} "
                        f"end {1e3 * end:.1e} mm, acceleration rms {rough:9.3f}, over the bound {over} of {len(Q)}, "
                        f"{spent:7.1f} us a tick{more}",
                        flush=True,
                    )


def go_far(count=150, rate=200, most=6.0):
    """Random poses, each held until it is followed: how many, how long, how far the tip leaves the straight line."""
    for name in ARMS:
        arm, q0, rng = arm_of(name), np.array(streams.STARTS[name]), np.random.default_rng(9)
        lower, upper = np.maximum(arm.limits[0], -np.pi), np.minimum(arm.limits[1], np.pi)
        servo, times, aside = arm.servo(q0, rate), [], []
        for _ in range(count):
            start, T, Q = arm.fk(servo.q)[:3, 3], arm.fk(rng.uniform(lower, upper)), []
            while len(Q) < most * rate and not (Q and servo.status == "following"):
                Q.append(servo(T))
            way, tip = T[:3, 3] - start, independent_fk(arm, np.array(Q))[:, :3, 3] - start
            on_line = np.clip(tip @ way / (way @ way), 0.0, 1.0)[:, None] * way
            aside.append(np.linalg.norm(tip - on_line, axis=1).max())
            if servo.status == "following":
                times.append(len(Q) / rate)
        missed = "" if len(times) == count else f"MISSED {count - len(times)}, "
        print(
            f"{name:7s} {missed}{len(times)} of {count} far targets met, in {np.median(times):.2f} s (median), at most "
            f"{max(times):.2f}; the tip is {np.median(aside):.3f} m off the straight line (median of the greatest)",
            flush=True,
        )


def take_times(ticks):
    """Best mean of rounds, and the slowest ticks beside a kernel that does nothing, tick by tick in turns."""
    for name in ARMS:
        arm, q0 = arm_of(name), np.array(streams.STARTS[name])
        servo, bare, targets = arm.servo(q0), arm.servo(q0), list(streams.eight(arm, q0, 1000))
        kernel, fixed, room = bare._tick, (bare._problem, bare._state, bare._pose), (bare._work, bare._q)
        calls = {
            "Python": servo,
            "kernel": lambda T, kernel=kernel, fixed=fixed, room=room: kernel(*fixed, T, *room),
            "nothing": lambda T: held_range(0.0, 1.0, 2.0),
        }
        best = dict.fromkeys(calls, np.inf)
        for _ in range(ROUNDS):  # in turns: the machine is not as fast at all times
            for what, call in calls.items():
                servo.reset(q0)
                bare.reset(q0)
                best[what] = min(best[what], mean_time(call, targets))
        servo.reset(q0)
        bare.reset(q0)
        walls, own = single_times(list(calls.values()), targets, ticks)
        for what, wall, each in zip(calls, walls, own, strict=True):
            goal = GOALS.get(what, np.inf)
            said = "" if what not in GOALS else f" (goal {goal:g}: {'kept' if best[what] <= goal else 'MISSED'})"
            print(
                f"{name:7s} {what:8s} {best[what]:6.2f} us a tick{said}; of {ticks} single ticks median "
                f"{np.median(wall):.2f}, p99.9 {np.quantile(wall, 0.999):.1f}, slowest {wall.max():.0f} us, "
                f"{np.count_nonzero(wall > INTERRUPTED)} over {INTERRUPTED:g} us; of the thread's own time p99.9 "
                f"{np.quantile(each, 0.999):.1f}, slowest {each.max():.0f} us",
                flush=True,
            )


def mean_time(call, targets):
    """Microseconds of processor time a call."""
    began = time.process_time()
    for T in targets:
        call(T)
    return 1e6 * (time.process_time() - began) / len(targets)


def single_times(calls, targets, ticks):
    """Microseconds of each call by the wall clock and of the thread's own time; the calls take turns tick by tick."""
    walls, own = np.empty((len(calls), ticks)), np.empty((len(calls), ticks))
    for i in range(ticks):
        T = targets[i % len(targets)]
        for row, call in enumerate(calls):
            spent, began = time.thread_time_ns(), time.perf_counter_ns()
            call(T)
            walls[row, i] = time.perf_counter_ns() - began
            own[row, i] = time.thread_time_ns() - spent
    return 1e-3 * walls, 1e-3 * own


def soak(ticks):
    """Two runs of one wild stream: the same bits, and no memory that grows; True if so."""
    arm, q0 = fa.load("panda"), np.array(streams.STARTS["panda"])
    sums, grown = [], []
    for _ in range(2):
        servo, digest, left, block = arm.servo(q0), hashlib.sha256(), ticks, 0
        while left > 0:
            stream = streams.wild(arm, q0, 1000, min(left, BLOCK), block)
            if block == 1:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for T in stream:
                digest.update(servo(T).tobytes())
            left, block = left - BLOCK, block + 1
        sums.append(digest.hexdigest())
        grown.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - (before if block > 1 else 0))
    same = sums[0] == sums[1]
    print(f"soak, panda, {ticks} ticks twice: bits {'same' if same else 'DIFFER'}, peak memory grew {grown} KiB")
    return same


def main():
    """Runs the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="*", default=["streams", "far", "wild", "time", "soak"])
    parser.add_argument("--robots", nargs="*", default=ARMS)
    parser.add_argument("--rates", nargs="*", type=int, default=RATES)
    parser.add_argument("--peers", nargs="*", default=(), choices=servo_peers.PEERS, help="drive the streams, too")
    parser.add_argument("--cut", type=int, default=None, help="ticks of each stream; all by default")
    parser.add_argument("--ticks", type=int, default=None, help="of wild streams on each arm, of times, of a soak")
    asked = parser.parse_args()
    good = True
    if "streams" in asked.parts:
        follow(asked.robots, asked.rates, asked.peers, asked.cut)
    if "far" in asked.parts:
        go_far()
    if "wild" in asked.parts:
        good = wild(asked.ticks or 1_000_000) and good
    if "time" in asked.parts:
        take_times(asked.ticks or 1_000_000)
    if "soak" in asked.parts:
        good = soak(asked.ticks or 3_600_000) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
