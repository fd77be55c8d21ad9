"""What a page does in its own browser: files that are saved, texts that are copied, day and night."""

import io
from contextlib import suppress
from html import escape
from typing import Any

import numpy as np

from forearm.common.markup import tag
from forearm.viewer.shared.theme import BACKWARD, NARROW

SCHEME = "forearm.scheme"  # what the browser remembers: "light" or "dark"
PATIENCE = 60.0  # for an answer of the browser [s]
RENDERING = 60.0  # for a picture [s]
LARGEST_PICTURE = 2400  # pixels

# Notes what the system prefers, where viser looks; the one script that a page runs.
ASK_SCHEME = (
    f"localStorage.setItem('viser-user:{SCHEME}.system', "
    "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')"
)


# Notes whether the window is so narrow that the panel covers a part of the scene.
ASK_SHEET = f"localStorage.setItem('viser-user:forearm.sheet', matchMedia('(max-width: {NARROW})').matches ? '1' : '0')"


def has_sheet(host: Any) -> bool:
    """Whether a browser shows the panel as a sheet over its scene, as on a phone."""
    return noted(host, ASK_SHEET, "forearm.sheet") == "1"


def prefers_dark(host: Any) -> bool:
    """Whether the user chose the dark look before, or the system prefers it; False where no browser can be asked."""
    return noted(host, ASK_SCHEME, SCHEME, f"{SCHEME}.system") == "dark"


def noted(host: Any, script: str, *names: str) -> str | None:
    """The first of the values that a browser has noted under names, after a script that notes some; None if none."""
    storage = getattr(host, "local_storage", None)
    if storage is None:
        return None
    with suppress(RuntimeError, TimeoutError):  # it left, or keeps nothing
        run_script(host, script)
        return next((value for name in names if (value := storage.get_item(name, PATIENCE))), None)
    return None


def remember_dark(host: Any, is_dark: bool) -> None:
    """Lets the browser keep what was chosen."""
    storage = getattr(host, "local_storage", None)
    if storage is not None:
        storage.set_item(SCHEME, "dark" if is_dark else "light")


def apply_scheme(host: Any, is_dark: bool) -> None:
    """Gives the panel and the background the dark look, or the light one."""
    host.gui.configure_theme(show_share_button=False, show_logo=False, brand_color=BACKWARD, dark_mode=is_dark)


def run_script(host: Any, source: str) -> None:
    """Lets the page run a script of ours; where it may not, as in a frame without storage, nothing else is lost."""
    from viser import _messages  # noqa: PLC0415 (slow, optional; it has no public door)

    guarded = f"try {{ {source} }} catch (fault) {{}}"
    host.gui._websock_interface.queue_message(_messages.RunJavascriptMessage(source=guarded))


def save_text(host: Any, name: str, text: str) -> None:
    """Lets the browser save a text as a file."""
    host.send_file_download(name, text.encode(), save_immediately=True)


def save_picture(host: Any, name: str) -> None:
    """Lets the browser save what it shows of the scene, as PNG."""
    camera = host.camera
    scale = min(1.0, LARGEST_PICTURE / max(camera.image_width, camera.image_height))
    size = round(scale * camera.image_height), round(scale * camera.image_width)
    pixels = host.get_render(*size, transport_format="png", timeout=RENDERING)
    host.send_file_download(name, png(pixels), save_immediately=True)


def png(pixels: Any) -> bytes:
    """(h, w, 3 or 4) bytes of colours as a PNG file."""
    import imageio.v3  # noqa: PLC0415 (comes with viser)

    file = io.BytesIO()
    imageio.v3.imwrite(file, np.asarray(pixels, np.uint8), extension=".png")
    return file.getvalue()


def copy_button(label: str, text: str) -> str:
    """A button, as HTML, that copies a text; it says so for a moment."""
    act = (
        "navigator.clipboard.writeText(this.dataset.text).then(() => { const was = this.textContent; "
        "this.textContent = 'Copied'; setTimeout(() => { this.textContent = was }, 1200) })"
    )
    look = (
        "margin:0 6px 6px 0;padding:3px 10px;font:inherit;font-size:12px;color:inherit;background:none;cursor:pointer;"
        "border:1px solid rgba(128,128,128,.5);border-radius:3px"
    )
    return tag("button", escape(label), type="button", style=look, onclick=act, **{"data-text": text})
