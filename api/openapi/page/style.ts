/** The complete style of the page; it loads no resources. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c2128; --soft: #57606a; --back: #fff; --panel: #f4f6f8; --line: #d0d7de; --link: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9da7b1; --back: #0d1117; --panel: #161b22; --line: #30363d; --link: #79b8ff; }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 96rem; color: var(--text); background: var(--back);
  font: .9375rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; }
h1 { margin: 0; }
header p { margin: .25rem 0 0; }
h2 { margin: 0 0 1rem; }
h3 { margin: 2rem 0 .5rem; }
section { margin-top: 2.5rem; padding-top: 2rem; border-top: 1px solid var(--line); }
a { color: var(--link); }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; }
header p, figcaption, dt span, dd span, summary span, details p span { color: var(--soft); font-weight: 400; }
nav { margin-top: 1.5rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .375rem 1rem; margin: 0; padding: 0; list-style: none; }
.top { position: fixed; right: 1rem; bottom: 1rem; padding: .375rem .75rem; border: 1px solid var(--line); border-radius: 1rem;
  background: var(--back); font-size: .875rem; }
pre, code { font-family: ui-monospace, monospace; font-size: .875em; }
code { padding: .1em .3em; border-radius: .25rem; background: var(--panel); }
pre { margin: 0; padding: .75rem; max-height: 34rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--panel);
  font-size: .8125rem; line-height: 1.5; white-space: pre-wrap; overflow: auto; }
pre code { padding: 0; background: none; font-size: inherit; }
.copy { user-select: all; }
figure { margin: 0 0 1.25rem; }
figcaption { margin-bottom: .375rem; font-size: .875rem; }
.columns { display: grid; gap: 1.5rem; }
.columns > * { min-width: 0; }
section:first-child .examples { order: -1; }
.columns > div > :first-child { margin-top: 0; }
dl { margin: .75rem 0; }
dl > div, details { padding: .5rem 0; border-top: 1px solid var(--line); }
dt, summary { font-weight: 600; }
dd { margin: .25rem 0 0; }
dt a, td a { text-decoration-thickness: 1px; text-underline-offset: .35em; }
summary { cursor: pointer; }
details > div { padding-left: 1rem; scroll-margin-top: 2.5rem; }
details p { margin: .375rem 0; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th, td:first-child { white-space: nowrap; }
td, dd, pre { overflow-wrap: anywhere; }
fieldset { position: relative; margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
legend { margin-bottom: .375rem; padding: 0; color: var(--soft); font-size: .875rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
fieldset input { position: absolute; opacity: 0; }
label { display: inline-block; margin: 0 1rem .5rem 0; border-bottom: 2px solid transparent; color: var(--soft); cursor: pointer; }
:checked + label { border-color: var(--link); color: var(--text); }
:focus-visible, :focus-visible + label { outline: 2px solid var(--link); outline-offset: 2px; }
fieldset > div { display: none; }
:nth-of-type(1):checked ~ div:nth-of-type(1), :nth-of-type(2):checked ~ div:nth-of-type(2),
:nth-of-type(3):checked ~ div:nth-of-type(3), :nth-of-type(4):checked ~ div:nth-of-type(4) { display: block; }
:target { background: var(--panel); box-shadow: -.5rem 0 var(--panel), -.625rem 0 var(--link); }
@media (max-width: 47.99rem) {
  pre { padding: .75rem; font-size: .75rem; }
  .blocks thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .blocks, .blocks tbody, .blocks tr, .blocks td { display: block; }
  .blocks tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .blocks td { padding: .125rem 0; border: 0; white-space: normal; }
  .blocks td:first-child { font-weight: 600; }
  .blocks td::before { color: var(--soft); }
  [aria-labelledby="errors"] td:nth-child(2)::before { content: "Status: "; }
  [aria-labelledby="failures"] td:nth-child(2)::before { content: "Retry helps: "; }
  .blocks td:empty { display: none; }
}
@media (min-width: 64rem) {
  body { padding: 2rem 2rem 4rem; }
  .page { display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); gap: 2.5rem; }
  nav { position: sticky; top: 0; align-self: start; margin-top: 2rem; padding: 1rem 0; max-height: 100vh; overflow-y: auto; }
  nav ul { grid-template-columns: 1fr; }
  section:first-child { margin-top: 2rem; padding-top: 1rem; border: 0; }
  .top { display: none; }
}
@media (min-width: 80rem) {
  section:first-child .examples { order: 0; }
  .columns { grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); gap: 2.5rem; }
  .examples { position: sticky; top: 1rem; align-self: start; }
  .examples pre { max-height: calc(50vh - 4rem); }
}
`;
