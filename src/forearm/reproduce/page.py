"""How the report looks, on a screen and in print; no font or picture from elsewhere."""

from forearm.common.palette import BAD_WORDS, BLUE, INK, PALE

COLOURS = f":root {{ color-scheme: light; --ink: {INK}; --link: {BLUE}; --bad: {BAD_WORDS}; --rule: {PALE}; }}\n"
RULES = """
body { margin: 0; background: #fff; color: var(--ink); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { box-sizing: border-box; width: 100%; max-width: 74rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
nav { position: sticky; top: 0; z-index: 1; background: #fff; border-bottom: 1px solid var(--rule); overflow-x: auto; }
nav ul { margin: 0; padding: 0; list-style: none; } nav > ul { display: flex; gap: 1.2rem; padding: 0.5rem 1.5rem; }
nav ul ul { display: none; } nav a { text-decoration: none; white-space: nowrap; }
section { scroll-margin-top: 3rem; overflow-x: auto; }
@media screen and (min-width: 70rem) {
  body { display: grid; grid-template-columns: 13rem minmax(0, 1fr); align-items: start; }
  nav { max-height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--rule); font-size: 0.85rem; }
  nav > ul { display: block; } nav > ul > li { margin: 0.4rem 0; font-weight: 600; }
  nav ul ul { display: block; padding-left: 0.8rem; font-weight: 400; } section { scroll-margin-top: 0.5rem; }
}
h1 { font-size: 2rem; line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 2px solid var(--link); }
h3 { margin-top: 2.2rem; }
a { color: var(--link); }
table { border-collapse: collapse; margin: 0.8rem 0; font-size: 0.85rem; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid #eee; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid var(--rule); } tbody tr.first td { border-top: 1px solid var(--rule); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.difference { color: #555; font-style: italic; }
.note { max-width: 46rem; color: #444; font-size: 0.9rem; }
.bad { color: var(--bad); font-weight: 600; }
.table { overflow-x: auto; } .table table { font-size: 0.8rem; } .table td, .table th { padding: 0.15rem 0.5rem; }
.table td:nth-child(-n+3) { white-space: nowrap; }
figure { margin: 1rem 0; } img { max-width: 100%; height: auto; }
pre { background: #f6f8fa; padding: 0.8rem; overflow-x: auto; font-size: 0.8rem; }
details { margin: 1rem 0; } summary { cursor: pointer; }
@media print {
  nav { display: none; } body { font-size: 10pt; } .table table { font-size: 7.5pt; }
  main { max-width: none; padding: 0; } a { color: inherit; text-decoration: none; }
  h2, h3, caption { break-after: avoid; } figure, tr { break-inside: avoid; } .paper { break-before: page; }
}
""".strip()
STYLE = COLOURS + RULES
