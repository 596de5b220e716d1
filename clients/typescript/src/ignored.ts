/** The names in `Ignored-Fields`, a list of quoted strings (RFC 9651). */
export function ignoredFieldsOf(headers: Headers): readonly string[] {
  const strings = (headers.get('ignored-fields') ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g);
  return [...strings].map(([, name = '']) => name.replace(/\\(.)/g, '$1'));
}
