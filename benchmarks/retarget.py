"""A walk, a reach and a squat carried over to humanoids, judged by Pinocchio and coal.

python benchmarks/retarget.py                        # Talos and G1, the three motions of `benchmarks/motions.py`
python benchmarks/retarget.py --seconds 2 --robots g1 --motions walk

The judge places the robot's links at the returned joint values and base by Pinocchio's own reading of the URDF. Each
row has: the farthest a foot is from where its stance began while it stands (the frames are those that forearm says),
joints outside limits, the greatest speed and acceleration to their bounds (100 rad/s^2), the greatest step of a joint
between two frames, how much longer it takes than the clip, frames in which links touch (meshes of the URDF, by coal;
not looked at: neighbours, pairs that the SRDF disables or that touch at rest). Times are this thread's own, of
`fa.retarget` with everything in it but the first look at the robot's meshes; a frame is one of the clip.
"""

import argparse
import sysconfig
import time
from pathlib import Path

import numpy as np

import forearm as fa
from motions import MOTIONS

try:
    import pinocchio as pin
except ImportError as problem:
    raise SystemExit("this benchmark is judged by Pinocchio: pip install pin example-robot-data") from problem

SHARE = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share")
DATA = SHARE / "example-robot-data/robots"
ROBOTS = {  # URDF, SRDF
    "talos": ("talos_data/robots/talos_reduced.urdf", "talos_data/srdf/talos.srdf"),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", None),
}


class Judge:
    """A humanoid as Pinocchio reads it, with its shapes."""

    def __init__(self, urdf, srdf):
        root = pin.JointModelFreeFlyer()
        self.model, self.shapes, _ = pin.buildModelsFromUrdf(str(urdf), str(SHARE), root)
        self.data = self.model.createData()
        self.shapes.addAllCollisionPairs()
        if srdf is not None:
            pin.removeCollisionPairs(self.model, self.shapes, str(srdf))
        self.drop_neighbours()
        self.contacts = self.shapes.createData()

    def drop_neighbours(self):
        """Pairs of one joint or of neighbours, and pairs that touch at rest, are not looked at."""
        for pair in list(self.shapes.collisionPairs):
            a, b = (self.shapes.geometryObjects[i].parentJoint for i in (pair.first, pair.second))
            if a == b or self.model.parents[a] == b or self.model.parents[b] == a:
                self.shapes.removeCollisionPair(pair)
        data = self.shapes.createData()
        rest = np.clip(pin.neutral(self.model), self.model.lowerPositionLimit, self.model.upperPositionLimit)
        pin.computeCollisions(self.model, self.data, self.shapes, data, rest, False)
        touching = [self.shapes.collisionPairs[k] for k, r in enumerate(data.collisionResults) if r.isCollision()]
        for pair in touching:
            self.shapes.removeCollisionPair(pair)

    def configuration(self, motion, i):
        """Pinocchio's vector of a frame."""
        full = pin.neutral(self.model)
        full[:7] = pin.SE3ToXYZQUAT(pin.SE3(motion.base[i]))
        for name, value in zip(motion.joint_names, motion.q[i], strict=True):
            joint = self.model.joints[self.model.getJointId(name)]
            full[joint.idx_q] = value
        return full

    def look(self, motion, links):
        """(F, len(links), 3) points of links, and the pairs that touch in each frame."""
        frames = [self.model.getFrameId(link) for link in links]
        points, touching = np.zeros((len(motion), len(links), 3)), []
        for i in range(len(motion)):
            q = self.configuration(motion, i)
            pin.framesForwardKinematics(self.model, self.data, q)
            points[i] = [self.data.oMf[frame].translation for frame in frames]
            if pin.computeCollisions(self.model, self.data, self.shapes, self.contacts, q, False):
                hit = [k for k, r in enumerate(self.contacts.collisionResults) if r.isCollision()]
                pairs = [self.shapes.collisionPairs[k] for k in hit]
                names = [tuple(self.shapes.geometryObjects[n].name for n in (p.first, p.second)) for p in pairs]
                touching.append((i, names))
        return points, touching


def slides(points, stands):
    """The farthest a foot is from where its stance began [m]."""
    far, began = 0.0, None
    for i, on in enumerate(stands):
        began = None if not on else i if began is None else began
        if on:
            far = max(far, float(np.linalg.norm(points[i] - points[began])))
    return far


def timed(clip, tree, **how):
    """A motion, and the least processor time of five times that it was made [s]: other work only adds to it."""
    spent = []
    for _ in range(5):
        began = time.thread_time()
        motion = fa.retarget(clip, tree, **how)
        spent.append(time.thread_time() - began)
    return motion, min(spent)


def measure(tree, judge, clip, threshold=100.0):
    """A row of the table."""
    fa.retarget(clip, tree)  # kernels and tables are loaded
    motion, spent = timed(clip, tree)
    _, bare = timed(clip, tree, self_collision=False)
    feet = [(k, motion.map[name][1]) for k, name in enumerate(motion.goals) if name.endswith("foot")]
    points, touching = judge.look(motion, [link for _, link in feet])
    gaps = np.diff(motion.times)[:, None]
    steps = np.diff(motion.q, axis=0)
    changes = np.abs(np.diff(steps / gaps, axis=0)) / (0.5 * (gaps[1:] + gaps[:-1]))
    joints = [judge.model.joints[judge.model.getJointId(name)] for name in motion.joint_names]
    lower, upper, fastest = (
        np.array([values[index(joint)] for joint in joints])
        for values, index in (
            (judge.model.lowerPositionLimit, lambda j: j.idx_q),
            (judge.model.upperPositionLimit, lambda j: j.idx_q),
            (judge.model.velocityLimit, lambda j: j.idx_v),
        )
    )
    return {
        "frames": len(motion),
        "slide": max(slides(points[:, n], motion.stands[:, k]) for n, (k, _) in enumerate(feet)),
        "outside": int(((motion.q < lower - 1e-9) | (motion.q > upper + 1e-9)).sum()),
        "speed": float((np.abs(steps / gaps) / fastest).max()),
        "acceleration": float(changes.max()) / threshold,
        "step": float(np.abs(steps).max()),
        "stretched": float((motion.times[-1] - motion.times[0]) / (clip.times[-1] - clip.times[0])),
        "jumps": len(motion.jumps),
        "touching": touching,
        "own": motion.touching,
        "rate": len(motion) / spent,
        "bare": len(motion) / bare,
        "rms": motion.rms,
        "motion": motion,
    }


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", default=",".join(ROBOTS))
    parser.add_argument("--motions", default=",".join(MOTIONS))
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rate", type=float, default=60.0, help="frames a second of the clips")
    options = parser.parse_args()
    print("robot   motion  frames  feet slide [mm]  outside limits  speed/bound  acc./bound  step [rad]  times longer  "
          "jumps  touching  frames/s  without self-collision  rms hands [mm]  rms pelvis [mm]")  # fmt: skip
    for name in options.robots.split(","):
        urdf, srdf = ROBOTS[name]
        tree = fa.Tree.from_urdf(DATA / urdf, base="free")
        judge = Judge(DATA / urdf, DATA / srdf if srdf else None)
        for kind in options.motions.split(","):
            row = measure(tree, judge, MOTIONS[kind](options.seconds, options.rate))
            hands = max(row["rms"][part] for part in ("left_hand", "right_hand"))
            print(
                f"{name:7} {kind:7} {row['frames']:6} {row['slide'] * 1e3:16.4f} {row['outside']:15} "
                f"{row['speed']:12.3f} {row['acceleration']:11.3f} {row['step']:11.3f} {row['stretched']:13.2f} "
                f"{row['jumps']:6} {len(row['touching']):9} {row['rate']:9.0f} {row['bare']:23.0f} "
                f"{hands * 1e3:15.1f} {row['rms']['pelvis'] * 1e3:16.1f}"
            )
            for frame, pairs in row["touching"][:3]:
                print(f"        touching in frame {frame}: {pairs}")


if __name__ == "__main__":
    main()
