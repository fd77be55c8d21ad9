"""The tab that records the way of a target, plays it, and asks for a track along it."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from forearm.common.transforms import to_quaternion
from forearm.common.types import Floats
from forearm.results.track import Track
from forearm.targets.columns import POINT, QUATERNION, TIME
from forearm.viewer.arm.track_words import joint_chart, track_card
from forearm.viewer.shared.controls import on_press
from forearm.viewer.shared.nodes import add_ball, add_lines, draw_way
from forearm.viewer.shared.save import save_text
from forearm.viewer.shared.stage import BALL_SHARE
from forearm.viewer.shared.theme import BACKWARD, MISSED, PATH, SOLVED, START
from forearm.viewer.shared.words import card, facts_line, working

if TYPE_CHECKING:
    from forearm.viewer.arm.page import ArmPage


FRAME = 1.0 / 30.0  # between two poses that are played [s]
MOST = 20_000  # poses that are kept
LONGEST_PAUSE = 0.5  # a rest while recording is cut to this [s]
SHORTEST_PAUSE = 1e-3  # times of way-points must increase [s]
USUAL_SPEED = 1.0  # at which a track without times is played [rad/s or m/s]
HINT = "All way-points at once, by robot.track: no jump between them, or where and why it stops."


class PathTab:
    """Records, shows and plays a path; built inside an open tab of the arm's page."""

    def __init__(self, page: "ArmPage") -> None:
        self.page = page
        self.times: list[float] = []
        self.poses: list[Floats] = []
        self.recording = False
        self.track: Track | None = None
        self._from = page.problem.q  # where the arm was when recording began
        self._begun: float | None = None
        self._last = 0.0
        self._missed: set[int] = set()
        gui = page.host.gui
        self.status = gui.add_html("")
        self.record = gui.add_button("Record")
        self.play = gui.add_button("Play", disabled=True)
        self.follow = gui.add_button("Track it", disabled=True, hint=HINT)
        self.clear = gui.add_button("Clear", disabled=True, color="gray")
        on_press(self.record, page.worker, self._toggle_recording)
        on_press(self.play, page.worker, self._toggle_playing)
        on_press(self.follow, page.worker, self._make_track)
        on_press(self.clear, page.worker, self._clear)
        self.save = gui.add_button("Save the path (CSV)", disabled=True, color="gray")
        self.save_joints = gui.add_button("Save the joints (CSV)", visible=False, color="gray")
        on_press(self.save, page.worker, self._save_path)
        on_press(self.save_joints, page.worker, self._save_joints)
        self.chart = gui.add_html("")
        self.way = add_lines(page.host, "/path", PATH, visible=False)
        self.stop = add_ball(page.host, "/stop", 0.9 * BALL_SHARE * page.size, MISSED, visible=False)
        self._show()

    def load(self, track: Track) -> None:
        """Takes a track that was made elsewhere; without times, it is played at the joints' usual pace."""
        self._clear()
        if not len(track):
            return
        self.track = track
        steps = np.abs(np.diff(track.q, axis=0)).max(axis=1, initial=0.0)
        spent = np.maximum(steps / USUAL_SPEED, SHORTEST_PAUSE)
        self.times = list(np.concatenate([[0.0], np.cumsum(spent)]) if track.times is None else track.times)
        self.poses = list(self.page.problem.arm.fk(track.q))
        self._from = track.q[0]
        self._show()

    @property
    def playing(self) -> bool:
        """Whether the path is being played."""
        return self._begun is not None

    def note(self, T: Floats) -> None:
        """Writes a pose down while recording."""
        if self.recording and len(self.poses) < MOST:
            now = time.monotonic()
            since = min(max(now - self._last, SHORTEST_PAUSE), LONGEST_PAUSE) if self.poses else 0.0
            self._last = now
            self.times.append(self.times[-1] + since if self.times else 0.0)
            self.poses.append(T.copy())
            self._show()

    def tick(self) -> float | None:
        """Moves along the path while it is played: the target, or the arm if there is a track."""
        if self._begun is None:
            return None
        now = time.monotonic() - self._begun
        end = self._move_target(now) if self.track is None else self._move_arm(now, self.track)
        if now > end:
            self.stop_playing()
            return None
        return FRAME

    def _move_target(self, now: float) -> float:
        """Puts the target where it was recorded; gives the time of the last pose [s]."""
        at = int(np.searchsorted(self.times, now, side="right")) - 1
        if self.page.answer is not None and not self.page.answer.solution.success:
            self._missed.add(at)
        self.page.set_target(self.poses[min(max(at, 0), len(self.poses) - 1)])
        return self.times[-1]

    def _move_arm(self, now: float, track: Track) -> float:
        """Puts the arm where the track has it, straight between two points, as it is checked; gives its end [s]."""
        times = np.asarray(self.times if track.times is None else track.times)
        q = np.array([np.interp(now, times, column) for column in track.q.T])
        at = min(int(np.searchsorted(times, now, side="right")), len(track)) - 1
        errors = facts_line(track.position_errors[at], track.rotation_errors[at])
        place = f"Way-point {track.places[at]:.1f} of {track.waypoints - 1}; {errors} at the last point."
        self.page.follow(q, card("On the track", [place], SOLVED if track.complete else MISSED))
        return float(times[-1])

    def stop_playing(self) -> None:
        """Leaves the path."""
        if self.playing:
            self._begun = None
            self._show()

    def _toggle_recording(self) -> None:
        self.stop_playing()
        self.recording = not self.recording
        if self.recording:
            self._clear()
            self._from = self.page.problem.q
            self.note(self.page.problem.T)
        self._show()

    def _toggle_playing(self) -> None:
        if self.playing:
            self.stop_playing()
        elif len(self.poses) > 1:
            self.recording = False
            self._begun, self._missed = time.monotonic(), set()
            self._show()

    def _make_track(self) -> None:
        """Asks for joint values along the whole path."""
        self.stop_playing()
        if len(self.poses) < 2:
            return
        self.page.say(working())
        self.track = self.page.problem.track(self.poses, self.times, self._from)
        self.page.ask()  # which says how the arm stands, as before
        self._show()

    def forget_track(self) -> None:
        """Drops a track that was made under other conditions."""
        if self.track is not None:
            self.stop_playing()
            self.track = None
            self._show()

    def _clear(self) -> None:
        self.stop_playing()
        self.times, self.poses, self._missed, self.track = [], [], set(), None
        self._show()

    def _show(self) -> None:
        self.record.label = "Stop recording" if self.recording else "Record"
        named = "Play" if self.track is None else "Play the track"
        self.play.label = "Stop" if self.playing else named
        short = len(self.poses) < 2 or self.recording
        self.play.disabled = short or (self.track is not None and not len(self.track))
        self.follow.disabled = short or self.playing
        self.clear.disabled = not self.poses or self.recording
        self.save.disabled, self.save_joints.visible = short, self.track is not None
        self.status.content = self._words()
        self.way.visible = len(self.poses) > 1
        if len(self.poses) > 1:
            draw_way(self.way, np.array([T[:3, 3] for T in self.poses]))
        stopped = None if self.track is None else self.track.stopped_at
        self.stop.visible = stopped is not None
        if stopped is not None:
            self.stop.position = self.poses[min(stopped, len(self.poses) - 1)][:3, 3]
        self.chart.content = "" if self.track is None else joint_chart(self.track, self.page.problem.arm.limits)

    def _save_path(self) -> None:
        """Saves the way-points as `forearm track` reads them."""
        rows = [[t, *T[:3, 3], *to_quaternion(T[:3, :3])] for t, T in zip(self.times, self.poses, strict=True)]
        self._save("path", (TIME, *POINT, *QUATERNION), rows)

    def _save_joints(self) -> None:
        if self.track is not None:
            times = self.times if self.track.times is None else self.track.times
            rows = [[t, *q] for t, q in zip(times, self.track.q, strict=True)]
            self._save("joints", (TIME, *self.track.joint_names), rows)

    def _save(self, what: str, head: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
        lines = [",".join(head), *(",".join(repr(float(number)) for number in row) for row in rows)]
        save_text(self.page.host, f"{self.page.problem.robot.name}-{what}.csv", "\n".join(lines) + "\n")

    def _words(self) -> str:
        if self.recording:
            return card("Recording", [f"{len(self.poses)} poses. Drag the target; every pose is kept."], MISSED)
        if not self.poses:
            return card("No path yet", ["Press Record, drag the target, press Stop recording, then Play."], START)
        if self.track is not None and not self.playing:
            return track_card(self.track)
        lines = [f"{len(self.poses)} poses in {self.times[-1]:.1f} s."]
        if self._missed:
            lines.append(f"{len(self._missed)} of them could not be met. Track it to learn where and why.")
        return card("Playing" if self.playing else "Path recorded", lines, BACKWARD)
