import { type Html, html, type Part, permalink } from './html.ts';

/** A part of the page with an entry in the navigation. */
export interface Section {
  /** Fragment of its address. It never changes, because others link to it. */
  readonly id: string;
  readonly title: string;
  readonly text: Part;
  /** Beside the text on wide screens. */
  readonly example?: Part;
  /** Below both. */
  readonly below?: Part;
}

export function subheading(id: string, title: string): Html {
  return html`<h3 id="${id}">${permalink(id, title)}</h3>`;
}

export function renderSection({ id, title, text, example, below }: Section): Html {
  const columns =
    example === undefined
      ? text
      : html`<div class="columns"><div>${text}</div>
<div class="examples">${example}</div></div>`;
  return html`
<section aria-labelledby="${id}">
<h2 id="${id}">${permalink(id, title)}</h2>
${columns}${below}
</section>`;
}

/** The same words as the headings. */
export function navigation(sections: readonly Section[]): Html {
  return html`<nav id="contents" aria-label="Contents"><ul>
${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`)}<li><a href="openapi.json">openapi.json</a></li>
</ul><a class="top" href="#contents">Contents</a></nav>`;
}
