/** The complete style of the page; it loads no resources. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c2128; --soft: #57606a; --back: #fff; --panel: #f4f6f8; --line: #d0d7de; --link: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9da7b1; --back: #0d1117; --panel: #161b22; --line: #30363d; --link: #79b8ff; }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; color: var(--text); background: var(--back);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { margin-bottom: 0; line-height: 1.2; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { margin-top: 2rem; }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0; padding: 0; list-style: none; }
.soft { color: var(--soft); }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:first-child { overflow-wrap: normal; }
tr:target, dt:target { background: var(--panel); outline: 2px solid var(--link); }
pre, code { font-family: ui-monospace, monospace; font-size: .875em; }
code { padding: .1em .3em; border-radius: .25rem; background: var(--panel); }
pre { padding: 1rem; border: 1px solid var(--line); border-radius: .375rem; background: var(--panel); overflow-x: auto; }
pre code { padding: 0; background: none; }
details { margin: .5rem 0; }
summary { cursor: pointer; font-weight: 600; }
dt { margin-top: .75rem; font-weight: 600; }
dd { margin: 0 0 0 1.5rem; }
`;
