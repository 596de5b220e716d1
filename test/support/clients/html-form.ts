const TEXTS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function decoded(html: string): string {
  return html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => TEXTS[name] ?? whole);
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : decoded(value);
}

function ofInput(tag: string): string | undefined {
  const type = attribute(tag, 'type') ?? 'text';
  if (type === 'checkbox' || type === 'radio')
    return /\schecked\b/.test(tag) ? (attribute(tag, 'value') ?? 'on') : undefined;
  return (attribute(tag, 'value') ?? '').replaceAll(/[\r\n]/g, '');
}

/** The first line break belongs to the markup. Browsers send line breaks as CRLF. */
function ofTextarea(content: string): string {
  return decoded(content)
    .replace(/^\r?\n/, '')
    .replaceAll(/\r?\n/g, '\r\n');
}

function ofSelect(content: string): string | undefined {
  const options = [...content.matchAll(/<option[^>]*>/g)].map(([tag]) => tag);
  const chosen = options.find((tag) => /\sselected\b/.test(tag)) ?? options[0];
  return chosen === undefined ? undefined : (attribute(chosen, 'value') ?? '');
}

const CONTROLS = /<input\b[^>]*>|(<(textarea|select)\b[^>]*>)(.*?)<\/\2>/gs;

function valueOf(tag: string, content: string): string | undefined {
  if (tag.startsWith('<input')) return ofInput(tag);
  return tag.startsWith('<select') ? ofSelect(content) : ofTextarea(content);
}

/** What a browser sends if the user submits the form with this action as it is. */
export function unchangedForm(html: string, action: string): URLSearchParams {
  const forms = [...html.matchAll(/<form[^>]*>.*?<\/form>/gs)].map(([form]) => form);
  const form = forms.find((one) => attribute(one.slice(0, one.indexOf('>')), 'action') === action);
  if (form === undefined) throw new Error(`the page has no form with the action ${action}`);
  const fields = new URLSearchParams();
  for (const [whole, tag = whole, , content = ''] of form.matchAll(CONTROLS)) {
    const name = attribute(tag, 'name');
    const value = valueOf(tag, content);
    if (name !== undefined && value !== undefined) fields.append(name, value);
  }
  return fields;
}
