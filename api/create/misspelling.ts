/** One edit of a shorter name makes too many other words. */
const LEAST_LETTERS = 4;
/** A longer name is not a misspelling, whatever is in it. */
const MOST_LETTERS = 64;

/** Whether one insertion, deletion, substitution or transposition of neighbours makes one text from the other. */
function isOneEdit(a: readonly string[], b: readonly string[]): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [ofA, ofB] = [a.length - start - end, b.length - start - end];
  if (ofA === 2 && ofB === 2) return a[start] === b[start + 1] && a[start + 1] === b[start];
  return Math.max(ofA, ofB) === 1;
}

/** Without letter case and separators: `bucketName` and `Bucket-Name` are `bucket_name` in other conventions. */
function withoutStyle(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/** The field that an unknown name misspells; undefined if it is another word. */
export type FindMeant = (name: string) => string | undefined;

/** Takes the known fields of one object. Characters count as Unicode code points. */
export function createFindMeant(fields: readonly string[]): FindMeant {
  const byStyle = new Map(fields.map((field) => [withoutStyle(field), field]));
  const long = fields
    .map((field) => ({ field, letters: Array.from(field) }))
    .filter(({ letters }) => letters.length >= LEAST_LETTERS);
  return (name) => {
    if (name.length > MOST_LETTERS) return undefined;
    const letters = Array.from(name);
    return byStyle.get(withoutStyle(name)) ?? long.find((known) => isOneEdit(known.letters, letters))?.field;
  };
}
