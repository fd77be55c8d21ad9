"""Draws the ten layers as `lint-imports` knows them: `python tools/draw_layers.py` (or `make pictures`)."""

import ast
import sys
from html import escape
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "forearm"
OUT = ROOT / "docs" / "pictures" / "layers.svg"
WIDTH, ROW, GAP, MARGIN = 960, 58, 10, 16  # pixels
SHADES = ("#1f3f66", "#214c73", "#23597d", "#256685", "#27728a", "#297d8b", "#2d7f7c", "#33806c", "#43805b", "#567d4a")


def layers() -> list[list[str]]:
    """The names of each layer, the top one first, from the import contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rows = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[name.strip().removeprefix("forearm.") for name in row.replace(":", "|").split("|")] for row in rows]


def says(name: str) -> str:
    """The first line of a module's or package's docstring."""
    path = SOURCE / f"{name}.py"
    path = path if path.exists() else SOURCE / name / "__init__.py"
    return (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()[0].rstrip(".").replace("`", "")


def wrapped(text: str, width: int) -> list[str]:
    """At most two lines of at most so many letters."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines if len(lines) <= 2 else [lines[0], lines[1][: width - 2].rstrip(" ,:;") + " …"]


def box(name: str, x: float, y: float, width: float, colour: str) -> str:
    """One module: its name and what it is."""
    lines = wrapped(says(name), int((width - 20) / 5.9))
    spans = "".join(f'<tspan x="{x + 10:.0f}" dy="13">{escape(line)}</tspan>' for line in lines)
    return (
        f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{ROW}" rx="6" fill="{colour}"/>'
        f'<text x="{x + 10:.0f}" y="{y + 19}" font-size="15" font-weight="600" fill="#fff">{name}</text>'
        f'<text x="{x + 10:.0f}" y="{y + 23}" font-size="11" fill="#fff">{spans}</text>'
    )


def picture() -> str:
    """The whole drawing as SVG."""
    rows = layers()
    height = 2 * MARGIN + len(rows) * (ROW + GAP) - GAP
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">']
    parts.append(f"<title>{len(rows)} layers; imports point down only</title>")
    for k, names in enumerate(rows):
        width = (WIDTH - 2 * MARGIN - GAP * (len(names) - 1)) / len(names)
        y = MARGIN + k * (ROW + GAP)
        parts += [
            box(name, MARGIN + i * (width + GAP), y, width, SHADES[k % len(SHADES)]) for i, name in enumerate(names)
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    OUT.write_text(picture())
    print(OUT.relative_to(ROOT))
