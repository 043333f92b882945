//! How the page looks. Colour never carries meaning alone: marks differ in line and shape, and text says the same.

/// The one style sheet, allowed by its hash; no element has a style of its own.
pub(super) const STYLE: &str = r#"
:root {
  color-scheme: light dark;
  --paper: #fdfdfb; --ink: #1d1f23; --soft: #5a5f68; --line: #c9ccd1; --panel: #f3f4f2;
  --a: #1f5fa8; --b: #9a4a12; --joins: #6f7f92; --run: #14161a;
  --changed: #fbe3a4; --only: #d6e8fb; --edge: #2d6ab0; --changed-edge: #9a6a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --ink: #e6e7e9; --soft: #a3a8b0; --line: #43484f; --panel: #1f2226;
    --a: #7db4f0; --b: #f0a070; --joins: #8797aa; --run: #f2f3f5;
    --changed: #57430c; --only: #17395c; --edge: #7db4f0; --changed-edge: #e0b040;
  }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1rem; max-width: 75rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
h3 { font-size: 1.02rem; margin: 1.4rem 0 .4rem; }
h4 { font-size: .85rem; font-weight: normal; color: var(--soft); margin: 0 0 .4rem; }
.and { font-weight: normal; color: var(--soft); }
nav a { margin-right: .8rem; }
a { color: var(--a); }
code { font-size: .85em; background: var(--panel); border: 1px solid var(--line); border-radius: .2rem; padding: .05rem .3rem; white-space: nowrap; }
.verdict { font-size: 1.5rem; line-height: 1.3; margin: 1.2rem 0 .3rem; border: 0; }
.verdict code { font-size: .9rem; vertical-align: middle; }
.why { font-size: 1.05rem; margin: 0 0 1rem; max-width: 60rem; }
.sign { display: inline-block; min-width: 1.5em; text-align: center; border: 1.5px solid currentColor; border-radius: .25rem; line-height: 1.35; }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 1.8rem; margin: .6rem 0 1rem; }
.facts dt { font-size: .8rem; color: var(--soft); }
.facts dd { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
.note { color: var(--soft); font-size: .9rem; margin: 0 0 .4rem; max-width: 60rem; }
th, td { text-align: start; vertical-align: top; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); }
th { overflow-wrap: normal; }
tbody td { font-variant-numeric: tabular-nums; white-space: nowrap; }
tbody th { font-weight: normal; color: var(--soft); white-space: nowrap; }
.books th, .books td { min-width: 6rem; white-space: normal; }
.books thead th, .books td { overflow-wrap: anywhere; }
details { margin-top: .8rem; }
figure { margin: 0; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 60rem; }
.map svg { display: block; width: 100%; max-width: 47rem; height: auto; }
.bars svg { display: block; width: 100%; max-width: 56rem; height: auto; }
.bar-text { margin: .3rem 0; }
svg text { fill: var(--ink); font: 14px system-ui, sans-serif; unicode-bidi: plaintext; }
.ticks.x text { text-anchor: middle; }
.ticks.y text { text-anchor: end; }
svg .axis { text-anchor: middle; font-weight: 600; }
svg .axis.a { fill: var(--a); }
svg .axis.b { fill: var(--b); }
.frame { fill: none; stroke: var(--soft); }
.grid { fill: none; stroke: var(--line); stroke-width: .6; }
.band { opacity: .13; }
.band.a { fill: var(--a); }
.band.b { fill: var(--b); }
.strip.a { fill: url(#hatch-a); stroke: var(--a); stroke-width: .7; }
.strip.b { fill: url(#hatch-b); stroke: var(--b); stroke-width: .7; }
.hatch-a { fill: var(--a); }
.hatch-b { fill: var(--b); }
.run { fill: none; stroke: var(--run); stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.dot { fill: none; stroke: var(--run); stroke-width: 5; stroke-linecap: round; }
.dot.small { stroke-width: 2.6; }
.bar { fill: var(--panel); stroke: var(--soft); stroke-width: 1; }
.filled.a { fill: var(--a); }
.filled.b { fill: var(--b); }
.joins { fill: var(--joins); opacity: .35; stroke: var(--joins); stroke-width: .5; }
.legend { padding: 0; margin: 0 0 1rem; list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; font-size: .9rem; }
.place { break-inside: avoid; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; }
.side { background: var(--panel); border-top: 3px solid var(--a); padding: .6rem .8rem; }
.side.b { border-top-color: var(--b); }
.book { margin: 0; font-family: Georgia, "Noto Serif", serif; line-height: 1.65; }
.alone { padding-left: 1.2rem; }
.alone p { margin: 0; }
.alone li { margin-bottom: .7rem; }
blockquote.book { margin: .2rem 0 0; padding-inline-start: .8rem; border-inline-start: 3px solid var(--line); color: var(--soft); }
mark, ins, del { color: inherit; padding: 0 .1em; border-radius: .15rem; text-decoration: none; -webkit-box-decoration-break: clone; box-decoration-break: clone; }
mark { background: var(--changed); border-bottom: 2px solid var(--changed-edge); }
ins, del { background: var(--only); outline: 1.5px dashed var(--edge); outline-offset: -1px; }
.marks { text-decoration: underline dotted var(--soft) 1.5px; text-underline-offset: .2em; }
.gap { color: var(--edge); font-weight: bold; font-size: 1.5em; line-height: 0; }
.left-out { color: var(--soft); }
.break { font: .72rem system-ui, sans-serif; color: var(--soft); border: 1px solid var(--line); border-radius: .2rem; padding: 0 .3rem; white-space: nowrap; }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .85rem; border-top: 1px solid var(--line); }
@media (max-width: 40rem) {
  .pair { grid-template-columns: minmax(0, 1fr); gap: .5rem; }
  .verdict { font-size: 1.25rem; }
  tbody th { white-space: normal; }
  svg text { font-size: 20px; }
  .minor { display: none; }
}
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --panel: #fff; --a: #1f5fa8; --b: #9a4a12; --joins: #6f7f92; --run: #000;
    --changed: #fbe3a4; --only: #d6e8fb; --edge: #2d6ab0; --changed-edge: #9a6a00; }
  html { font-size: 11px; color-scheme: light; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav { display: none; }
  h2, h3 { break-after: avoid; }
  figure, tr, li { break-inside: avoid; }
  .map svg { max-width: 15cm; }
}
"#;

/// The hash of [`STYLE`], as a Content-Security-Policy names it.
pub(super) const STYLE_HASH: &str = "sha256-OVKKn0Yud6bRp5hw5x7t+gcCRGMiDfT3BtE/WhZ5Bmc=";
