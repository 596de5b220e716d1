/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Half of a word can be wrong, but not all of it. */
function isTypo(word: string, known: string): boolean {
  return distance(word, known) <= Math.floor(word.replace(/^-+/, '').length / 2);
}

/** `. Did you mean X?` for the known word that the user has probably meant; empty without one. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [best] = known
    .filter((one) => isTypo(word, one))
    .toSorted((a, b) => distance(word, a) - distance(word, b));
  return best === undefined ? '' : `. Did you mean ${best}?`;
}
