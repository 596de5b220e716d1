interface Key {
  /** With its quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function endOfString(line: string, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== '"') at += line[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The keys of the object itself, not of the values in it. */
function outerKeys(line: string): readonly Key[] {
  const keys: Key[] = [];
  let depth = 0;
  for (let start = 0; start < line.length; start += 1) {
    const character = line[start];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === '"') {
      const end = endOfString(line, start);
      if (depth === 1 && line[end] === ':') keys.push({ text: line.slice(start, end), start, end });
      start = end - 1;
    }
  }
  return keys;
}

/** `"level"` becomes `"fieldLevel"`. */
function renamed(key: string): string {
  return `"field${key.charAt(1).toUpperCase()}${key.slice(2)}`;
}

/**
 * A line of compact JSON without equal keys: readers keep one of them, so the other value would be lost. The `message` is the last of
 * its name, and of other keys the first, which the logger writes itself. The others are renamed.
 */
export function withUniqueKeys(line: string): string {
  const keys = outerKeys(line);
  const texts = keys.map(({ text }) => text);
  if (new Set(texts).size === texts.length) return line;
  const used = new Set(texts);
  let result = '';
  let from = 0;
  for (const [index, { text, start, end }] of keys.entries()) {
    const kept = text === '"message"' ? texts.lastIndexOf(text) : texts.indexOf(text);
    if (kept === index) continue;
    let name = renamed(text);
    while (used.has(name)) name = renamed(name);
    used.add(name);
    result += `${line.slice(from, start)}${name}`;
    from = end;
  }
  return result + line.slice(from);
}
