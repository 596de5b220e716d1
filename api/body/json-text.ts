const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Index after the closing quote of the string that opens at `open`; the end of the text when it is never closed. */
export function endOfString(text: string, open: number): number {
  const quote = text.indexOf('"', open + 1);
  if (quote === -1) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  for (let at = open + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

export function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Index of the first character from `start` to `end` that is not whitespace, or `end`. */
export function skipWhitespace(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isWhitespace(text.charCodeAt(at))) at += 1;
  return at;
}

/** A set of codes takes six times as long, in one step of the event loop: a scalar can be as long as the body. */
const ENDS = /[ \n\r\t",:[\]{}]/g;

/** Index after the number, `true`, `false`, `null` or invalid text that starts here. */
export function skipScalar(text: string, start: number): number {
  ENDS.lastIndex = start + 1;
  return ENDS.test(text) ? ENDS.lastIndex - 1 : text.length;
}
