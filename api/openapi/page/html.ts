const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup that is not escaped again. */
export interface Html {
  readonly html: string;
}

export type Part = Html | string | number | undefined | readonly Part[];

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part));
  return 'html' in part ? part.html : part.map(textOf).join('');
}

/** HTML template: escapes every value that is not Html. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return {
    html: strings.map((text, index) => text + textOf(parts[index])).join(''),
  };
}

export function code(text: string): Html {
  return html`<code>${text}</code>`;
}

/** Renders text in which backticks mark code. */
export function prose(text: string): Html {
  const pieces = text.split('`').map((piece, index): Part => (index % 2 === 1 ? code(piece) : piece));
  return html`${pieces}`;
}

/** Renders text in which empty lines separate paragraphs. */
export function paragraphs(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}`;
}

export function commaSeparated(parts: readonly Part[]): Html {
  return html`${parts.map((part, index) => [index === 0 ? '' : ', ', part])}`;
}

/** Between tags, quotation marks need no escape, which would be a tenth of the page. */
function content(text: string): Html {
  return { html: text.replaceAll(/[&<>]/g, escape) };
}

/** Text in a box of its own. The focus makes a box that scrolls reachable with the keyboard. */
export function block(text: string): Html {
  return html`<pre tabindex="0"><code>${content(text)}</code></pre>`;
}

export function json(value: unknown): Html {
  return block(JSON.stringify(value, null, 2));
}

/** An example with a title above it. */
export function example(title: string, content: Part): Html {
  return html`<figure><figcaption>${title}</figcaption>${content}</figure>\n`;
}

/** The link of a heading or field to itself, so that a reader can copy its address. */
export function permalink(id: string, text: Part): Html {
  return html`<a href="#${id}">${text}</a>`;
}

export interface Row {
  /** Fragment of the address of the row. */
  readonly id?: string;
  readonly cells: readonly Part[];
}

/** A table. On narrow screens each row of more than two cells is a block. */
export function table(head: readonly string[], rows: readonly Row[]): Html {
  return html`<table${head.length > 2 ? html` class="blocks"` : ''}><thead><tr>${head.map(
    (text) => html`<th scope="col">${text}</th>`,
  )}</tr></thead>
<tbody>${rows.map(
    ({ id, cells }) =>
      html`<tr${id === undefined ? '' : html` id="${id}"`}>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
  )}</tbody></table>`;
}

export interface Tab {
  readonly label: string;
  readonly panel: Part;
}

/**
 * Tabs without a script: radio buttons, of which the arrow keys choose one.
 * @param id start of the IDs of the buttons, unique on the page
 * @param legend the element `legend`
 */
export function tabs(id: string, legend: Html, all: readonly Tab[]): Html {
  const buttons = all.map(({ label }, index) => {
    const checked = index === 0 ? html` checked` : '';
    return html`<input type="radio" name="${id}" id="${id}-${index}"${checked}><label for="${id}-${index}">${label}</label>\n`;
  });
  return html`<fieldset>${legend}
${buttons}${all.map(({ panel }) => html`<div>${panel}</div>\n`)}</fieldset>`;
}
