"""A GIF of a motion: as many pictures as asked for, and the arm moves in them."""

import shutil
from itertools import pairwise

import numpy as np
import pytest

import forearm as fa
from forearm.errors import OptionError
from forearm.plot import save_gif
from forearm.plot.animation import frames_of

pytest.importorskip("matplotlib")
pillow = pytest.importorskip("PIL.Image")
ARM = fa.load("planar-3")
Q = np.linspace([0.3, 0.9, 0.4], [1.1, 1.4, 0.1], 12)


def test_a_track_becomes_a_gif_whose_pictures_differ(tmp_path):
    path = save_gif(ARM, ARM.track(ARM.fk(Q), Q[0]), tmp_path / "motion.gif", seconds=0.5, fps=8)
    with pillow.open(path) as image:
        assert image.n_frames == 4
        assert image.info["duration"] == pytest.approx(125, abs=10)
        pictures = []
        for k in range(image.n_frames):
            image.seek(k)
            pictures.append(np.asarray(image.convert("L"), dtype=float))
    assert all(np.abs(a - b).max() > 50 for a, b in pairwise(pictures))


def test_pictures_are_even_in_time_or_in_number():
    assert frames_of(11, None, 3).tolist() == [0, 5, 10]
    assert frames_of(3, np.array([0.0, 9.0, 10.0]), 3).tolist() == [0, 1, 2]
    assert frames_of(4, np.array([0.0, 1.0, 2.0, 10.0]), 2).tolist() == [0, 3]
    assert frames_of(1, None, 2).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("name", "how", "words"),
    [
        ("a.png", {}, "its name must end in one of: .gif, .mp4"),
        ("a", {}, "its name must end in one of: .gif, .mp4"),
        ("no/a.gif", {}, "there is no directory .*no'; make it first"),
        ("a.gif", {"fps": 0}, "take a positive number"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, name, how, words):
    with pytest.raises(OptionError, match=words):
        save_gif(ARM, Q, tmp_path / name, **how)


def test_arguments_that_are_swapped_or_missing_are_told():
    with pytest.raises(OptionError, match=r"motion is 'a\.gif', a name; it takes \(M, 3\) joint values"):
        save_gif(ARM, "a.gif", Q)
    with pytest.raises(OptionError, match="path is a ndarray; it takes the name of the file to write"):
        save_gif(ARM, Q, Q)
    with pytest.raises(
        OptionError, match="missing a required argument: 'path'; it takes, in this order: robot, motion"
    ):
        save_gif(ARM, Q)


def test_without_ffmpeg_an_mp4_is_refused_in_a_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OptionError, match="the program ffmpeg, which writes it, is not here; install it"):
        save_gif(ARM, Q, tmp_path / "a.mp4")


def test_with_ffmpeg_a_motion_becomes_an_mp4(tmp_path):
    if shutil.which("ffmpeg") is None:
        pytest.skip("needs the program ffmpeg")
    assert b"ftyp" in save_gif(ARM, Q, tmp_path / "a.mp4", seconds=0.5).read_bytes()[:16]
