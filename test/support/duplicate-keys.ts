/** The keys that an object of a JSON text has twice, at any depth. An independent reader: it parses character by character. */
export function duplicateKeys(json: string): readonly string[] {
  const duplicates: string[] = [];
  let at = 0;
  function text(): string {
    const start = at;
    for (at += 1; json[at] !== '"'; at += 1) if (json[at] === '\\') at += 1;
    at += 1;
    return JSON.parse(json.slice(start, at)) as string;
  }
  function list(end: string, item: () => void): void {
    for (at += 1; json[at] !== end; ) {
      item();
      if (json[at] === ',') at += 1;
    }
    at += 1;
  }
  function value(): void {
    if (json[at] === '"') text();
    else if (json[at] === '[') list(']', value);
    else if (json[at] === '{') {
      const keys = new Set<string>();
      list('}', () => {
        const key = text();
        if (keys.has(key)) duplicates.push(key);
        keys.add(key);
        at += 1;
        value();
      });
    } else while (at < json.length && !',]}'.includes(json.charAt(at))) at += 1;
  }
  JSON.parse(json);
  value();
  return duplicates;
}
