const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Index after the closing quote of the string that opens at `open`; the end of the text when it is never closed. */
export const endOfString = (text: string, open: number): number => {
  const quote = text.indexOf('"', open + 1);
  if (quote === -1) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1;
  for (let at = open + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
};

export const isWhitespace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Index of the first character that is not whitespace. */
export const skipWhitespace = (text: string, start: number): number => {
  let at = start;
  while (at < text.length && isWhitespace(text.charCodeAt(at))) at += 1;
  return at;
};

const ENDS = new Set(Buffer.from(' \n\r\t",:[]{}'));

/** Index after the number, `true`, `false`, `null` or invalid text that starts here. */
export const skipScalar = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && !ENDS.has(text.charCodeAt(at))) at += 1;
  return at;
};
