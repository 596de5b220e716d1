import { LONGEST_NAME_BYTES, LONGEST_SEGMENT_BYTES } from './entry-name.ts';
import { composeName, cutTo, numberConflicts } from './name-index.ts';
import { splitExtension } from './portable-names.ts';

/** What is left of a shortened name at least, in bytes. */
const SHORTEST_STEM_BYTES = 8;

/** `name (2).txt`. A name without room for the number is shortened before it; if its folders leave none, the file moves up to one that does. */
function numbered(name: string, n: number): string {
  const segments = name.split('/');
  const [stem, extension] = splitExtension(segments.pop() ?? '');
  const ending = ` (${n})${extension}`;
  const endingBytes = Buffer.byteLength(ending);
  const needed = Math.min(Buffer.byteLength(stem), SHORTEST_STEM_BYTES) + endingBytes;
  function before(): string {
    return segments.map((folder) => `${folder}/`).join('');
  }
  while (segments.length > 0 && Buffer.byteLength(before()) + needed > LONGEST_NAME_BYTES) segments.pop();
  const room = Math.min(LONGEST_SEGMENT_BYTES, LONGEST_NAME_BYTES - Buffer.byteLength(before()));
  return `${before()}${cutTo(stem, room - endingBytes)}${ending}`;
}

/**
 * Numbers names that conflict with an earlier one, as file managers do, and keeps all others as they are. Names that differ only in
 * letter case do not conflict. No number makes a name one of `taken`. Pure.
 */
export function toDistinctNames(names: readonly string[], taken: readonly string[] = []): readonly string[] {
  return numberConflicts(names, { taken, compared: composeName, numbered });
}
