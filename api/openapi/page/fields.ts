import { code, type Html, html, type Part, permalink, prose } from './html.ts';
import type { SchemaRow } from './schema-rows.ts';

interface Field {
  readonly name: string;
  /** Type, place or conditions, such as `string, required`. */
  readonly more: Part;
  readonly text: Part;
}

/** Fields with their descriptions, each with an ID: the prefix and the name without brackets. */
export function fieldList(fields: readonly Field[], prefix: string): Html {
  return html`<dl>
${fields.map(({ name, more, text }) => {
  const id = idOf(prefix, name);
  return html`<div id="${id}"><dt>${permalink(id, code(name))} <span>${more}</span></dt><dd>${text}</dd></div>\n`;
})}</dl>`;
}

function idOf(prefix: string, path: string): string {
  return `${prefix}${path.replaceAll('[]', '')}`;
}

function typeOf({ type, isRequired }: SchemaRow): string {
  return isRequired ? `${type}, required` : type;
}

function textOf({ description, rules }: SchemaRow): Html {
  return html`${prose(description)}${rules === '' ? '' : html` <span>(${rules})</span>`}`;
}

/** The fields of an object. */
export function rowList(rows: readonly SchemaRow[], prefix: string): Html {
  return fieldList(
    rows.map((row) => ({ name: row.path, more: typeOf(row), text: textOf(row) })),
    prefix,
  );
}

/** One line per field, which opens to its description and its own fields. An address of one of them opens it too. */
export function foldedRows(rows: readonly SchemaRow[], prefix: string): Html {
  const outer = rows.filter(({ path }) => !path.includes('.'));
  return html`${outer.map((row) => {
    const inner = rows.filter(
      ({ path }) => path.startsWith(`${row.path}.`) || path.startsWith(`${row.path}[]`),
    );
    const id = idOf(prefix, row.path);
    const self = html`<a href="#${id}" aria-label="Permalink of ${row.path}">#</a>`;
    return html`<details><summary>${code(row.path)} <span>${typeOf(row)}</span></summary>
<div id="${id}"><p>${textOf(row)} ${self}</p>${inner.length === 0 ? '' : rowList(inner, prefix)}</div></details>\n`;
  })}`;
}
