"""Kernels against central differences, numpy and each other."""

import importlib.util
import math

import numpy as np
import pytest

from forearm.core import jit
from forearm.core.arm import kinematics
from forearm.models.dh import from_dh
from forearm.models.urdf import from_urdf

MIMIC = """<robot name="gripper">
  <link name="base"/><link name="a"/><link name="b"/><link name="c"/>
  <joint name="lift" type="prismatic"><parent link="base"/><child link="a"/>
    <origin xyz="0 0 0.1" rpy="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="0" upper="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="a"/><child link="b"/>
    <origin xyz="0.2 0 0"/><axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
  <joint name="follower" type="revolute"><parent link="b"/><child link="c"/>
    <origin xyz="0.3 0.1 0" rpy="0 0.5 0"/><axis xyz="1 1 0"/><limit lower="-9" upper="9"/>
    <mimic joint="elbow" multiplier="-0.5" offset="0.2"/></joint>
</robot>"""

CHAINS = {
    "mimic": from_urdf(MIMIC),
    "7R": from_dh([(0.1 * k, 0.5 * k, 0.2) for k in range(7)]),
    "100R": from_dh([(0.01, math.pi / 2, 0.01)] * 100),
    "1R": from_dh([(1.0, 0.0, 0.0)]),
}


@pytest.fixture(params=CHAINS)
def chain(request):
    return CHAINS[request.param]


def fk(chain, q):
    T = np.empty((4, 4))
    kinematics.fk_tip(chain.links, chain.joints, q, T)
    return T


@pytest.mark.parametrize("far", [1.0, 1e3, 3e5])  # the last beyond what the quick sines are good for
def test_all_sines_at_once_give_the_same_pose(chain, far):
    rng = np.random.default_rng(3)
    T, trig = np.empty((4, 4)), np.full((3, chain.m + 5), np.nan)
    for q in rng.uniform(-far, far, (20, chain.n)):
        kinematics.fk_tip_at_once(chain.links, chain.joints, q, trig, T)
        expected = fk(chain, q)
        assert np.allclose(T, expected, rtol=1e-14, atol=1e-13)


def jacobian(chain, q):
    J = np.empty((6, chain.n))
    kinematics.jacobian(chain.links, chain.joints, q, np.empty((chain.m + 1, 4, 4)), J)
    return J


def test_jacobian_equals_central_differences(chain):
    q = np.random.default_rng(1).uniform(-1, 1, chain.n)
    J, h = jacobian(chain, q), 1e-6
    for k in range(chain.n):
        step = h * np.eye(chain.n)[k]
        ahead, back = fk(chain, q + step), fk(chain, q - step)
        spin = (ahead - back)[:3, :3] / (2 * h) @ fk(chain, q)[:3, :3].T
        np.testing.assert_allclose(J[:3, k], (ahead - back)[:3, 3] / (2 * h), atol=1e-8)
        np.testing.assert_allclose(J[3:, k], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-8)


def test_last_frame_is_the_tip_and_rotations_stay_orthonormal(chain):
    q = np.random.default_rng(2).uniform(-3, 3, chain.n)
    frames = np.empty((chain.m + 1, 4, 4))
    kinematics.fk_frames(chain.links, chain.joints, q, frames)
    np.testing.assert_array_equal(frames[-1], fk(chain, q))
    for T in frames:
        np.testing.assert_allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), atol=1e-13)


def test_batch_gives_the_same_bits_as_singles(chain):
    Q = np.random.default_rng(3).uniform(-3, 3, (20, chain.n))
    poses = np.empty((20, 4, 4))
    kinematics.fk_batch(chain.links, chain.joints, Q, poses)
    np.testing.assert_array_equal(poses, [fk(chain, q) for q in Q])


def test_mimic_joint_follows_with_ratio_and_offset():
    chain = CHAINS["mimic"]
    assert chain.joint_names == ("lift", "elbow")
    assert chain.mimics == ("follower",)
    free = from_urdf(MIMIC.replace('<mimic joint="elbow" multiplier="-0.5" offset="0.2"/>', ""))
    q = np.array([0.4, 0.7])
    np.testing.assert_allclose(fk(chain, q), fk(free, np.array([0.4, 0.7, -0.5 * 0.7 + 0.2])), atol=1e-15)


@pytest.mark.parametrize("shape", [(6, 6), (6, 7), (6, 3), (3, 10), (3, 2), (1, 1)])
def test_manipulability_is_the_product_of_singular_values(shape):
    J = np.random.default_rng(4).normal(size=shape)
    expected = np.prod(np.linalg.svd(J, compute_uv=False))
    assert math.isclose(kinematics.manipulability(J, np.empty(J.size)), expected, rel_tol=1e-12)


def test_manipulability_is_zero_for_a_zero_column():
    J = np.eye(6)
    J[:, 2] = 0.0
    assert kinematics.manipulability(J, np.empty(J.size)) == 0.0


@pytest.mark.compiled
def test_compiled_and_uncompiled_fk_give_the_same_pose(chain, monkeypatch):
    monkeypatch.setattr(jit, "_compile", lambda function, extra: function)
    spec = importlib.util.spec_from_file_location("plain_kinematics", kinematics.__file__)
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    q = np.random.default_rng(5).uniform(-3, 3, chain.n)
    T = np.empty((4, 4))
    plain.fk_tip(chain.links, chain.joints, q, T)
    np.testing.assert_allclose(T, fk(chain, q), rtol=0, atol=1e-15)
