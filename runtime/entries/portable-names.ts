/**
 * Names that every common system can store side by side. Windows does not allow `CON`
 * or `a:b`, and removes dots and blanks at the end of a name. Windows and macOS treat
 * `A` and `a` as equal, and also the two encodings of an accented letter.
 */
import { type EntryNameProblem, LONGEST_SEGMENT_BYTES } from './entry-name.ts';
import { cutTo, foldName, numberConflicts } from './name-index.ts';

/** Windows device names, with any extension. Superscript digits count as digits. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)/i;
const FORBIDDEN_CHARACTER = /[<>:"|?*]/;
const LOOSE_END = /(?<![. ])[. ]+$/;

/** In UTF-16 units, as Windows counts. Its Explorer allows 260, with the folder into which it unpacks. */
const LONGEST_PATH = 240;
/** With the file, one more than fits into a path: further ones are dropped anyway. */
const MOST_FOLDERS = LONGEST_PATH / 2;
/** What shortened folders leave for the name of the file: enough for the longest extension, a number and some of the name. */
const FILE_NAME_ROOM = 48;
/** In UTF-16 units. */
const LONGEST_EXTENSION = 32;
/** What is left of a shortened name at least, in UTF-16 units, without ending. Longer than a device name. */
const SHORTEST_STEM = 8;

/** Why Windows cannot store a name. */
const RULES: readonly (readonly [EntryNameProblem, (name: string) => boolean])[] = [
  ['windows-character', (name) => FORBIDDEN_CHARACTER.test(name)],
  ['windows-device', (name) => name.split('/').some((segment) => RESERVED.test(segment))],
  ['windows-ending', (name) => name.split('/').some((segment) => LOOSE_END.test(segment))],
  ['windows-path', (name) => name.length > LONGEST_PATH],
];

/** Why Windows cannot store this name; undefined if it can. */
export function checkPortableName(name: string): EntryNameProblem | undefined {
  return RULES.find(([, isBroken]) => isBroken(name))?.[0];
}

interface Room {
  readonly bytes: number;
  readonly units: number;
}

/** A leading dot does not start an extension, and a long extension does not count as one. */
export function splitExtension(segment: string): readonly [stem: string, extension: string] {
  const last = segment.lastIndexOf('.');
  const tar = segment.slice(0, Math.max(0, last)).toLowerCase().endsWith('.tar') ? last - '.tar'.length : 0;
  const dot = tar > 0 ? tar : last;
  return dot > 0 && segment.length - dot <= LONGEST_EXTENSION
    ? [segment.slice(0, dot), segment.slice(dot)]
    : [segment, ''];
}

/** The segment with the ending. What does not fit is cut off before it, so that no blank and no device name is left. */
function withEndingIn(stem: string, ending: string, { bytes, units }: Room): string {
  const cut = cutTo(stem, bytes - Buffer.byteLength(ending), units - ending.length);
  if (cut === stem) return `${stem}${ending}`;
  const kept = cut.replace(LOOSE_END, '').replace(RESERVED, (device) => `_${device.slice(1)}`);
  return `${kept === '' ? '_' : kept}${ending}`;
}

function shortened(segment: string, room: Room): string {
  const isFitting = segment.length <= room.units && Buffer.byteLength(segment) <= room.bytes;
  return isFitting ? segment : withEndingIn(...splitExtension(segment), room);
}

/** A name of one segment as every system can store it. Never a dot segment. */
export function toPortableSegment(segment: string): string {
  const visible = segment
    .replaceAll(/\p{Cs}/gu, '_')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .normalize('NFC')
    .replace(/^\p{Cc}+/u, '')
    .replace(/(?<!\p{Cc})\p{Cc}+$/u, '')
    .replaceAll(/[<>:"|?*\p{Cc}]/gu, '_');
  const marked = RESERVED.test(visible) ? `_${visible}` : visible;
  const named = marked.replace(LOOSE_END, (end) => '_'.repeat(end.length)) || '_';
  return shortened(named, { bytes: LONGEST_SEGMENT_BYTES, units: LONGEST_PATH });
}

/** The length to which each must be shortened, so that all fit into the room. */
function fairLength(lengths: readonly number[], room: number): number {
  let left = room;
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) return share;
    left -= length;
  }
  return room;
}

/** The outer folders that fit if each keeps at least its beginning. */
function outerFolders(folders: readonly string[], room: number): readonly string[] {
  let needed = -1;
  const end = folders.findIndex((folder) => {
    needed += Math.min(folder.length, SHORTEST_STEM) + 1;
    return needed > room;
  });
  return end < 0 ? folders : folders.slice(0, end);
}

/** Folders are shortened without regard to the file, so that files of one folder stay together. */
function shortenPath(segments: readonly string[]): string {
  const path = segments.join('/');
  if (path.length <= LONGEST_PATH) return path;
  const room = LONGEST_PATH - FILE_NAME_ROOM - 1;
  const kept = outerFolders(segments.slice(0, -1), room);
  const units = fairLength(
    kept.map(({ length }) => length),
    room - kept.length + 1,
  );
  const folders = kept.map((folder) =>
    folder.length <= units ? folder : withEndingIn(folder, '', { bytes: LONGEST_SEGMENT_BYTES, units }),
  );
  const before = folders.map((folder) => `${folder}/`).join('');
  const rest = { bytes: LONGEST_SEGMENT_BYTES, units: LONGEST_PATH - before.length };
  return `${before}${shortened(segments.at(-1) ?? '', rest)}`;
}

/** Segments that no system can store under a similar name: they lead to another place than the caller asked for. */
const LEADS_ELSEWHERE = /^\.{0,2}$|\\/;
const ABSOLUTE_ON_WINDOWS = /^[a-z]:\//i;

/**
 * The name as every system can store it, if no other name is beside it. A name that is not relative, and one with a dot segment or a
 * backslash, keeps only what makes it invalid.
 */
export function toPortableName(name: string): string {
  if (ABSOLUTE_ON_WINDOWS.test(name)) return name;
  const segments = name.split('/');
  if (segments.some((segment) => LEADS_ELSEWHERE.test(segment)))
    return segments.map((segment) => (LEADS_ELSEWHERE.test(segment) ? segment : '_')).join('/');
  const file = segments.pop() ?? '';
  return shortenPath([...segments.slice(0, MOST_FOLDERS), file].map(toPortableSegment));
}

/** Appends an ending to a portable name. If the folders leave no room for it, the file moves up to one that does. */
export function withPortableEnding(name: string, ending: string): string {
  const segments = name.split('/');
  const stem = segments.pop() ?? '';
  const needed = Math.min(stem.length, SHORTEST_STEM) + ending.length;
  let before = name.slice(0, name.length - stem.length);
  while (segments.pop() !== undefined && before.length + needed > LONGEST_PATH)
    before = segments.map((folder) => `${folder}/`).join('');
  const room = { bytes: LONGEST_SEGMENT_BYTES, units: LONGEST_PATH - before.length };
  return `${before}${withEndingIn(stem, ending, room)}`;
}

/** `name (2).txt` */
function numbered(name: string, n: number): string {
  const [, extension] = splitExtension(name.slice(name.lastIndexOf('/') + 1));
  return withPortableEnding(name.slice(0, name.length - extension.length), ` (${n})${extension}`);
}

/**
 * Numbers names that conflict with an earlier one on any system, and keeps all others as they are. No number makes a name one of
 * `taken`. Pure.
 */
export function numberOnAnySystem(
  names: readonly string[],
  taken: readonly string[] = [],
): readonly string[] {
  return numberConflicts(names, { taken, compared: foldName, numbered });
}

/**
 * Converts names to names that every system can store, in the same order: a forbidden character becomes `_`, invisible ones are
 * removed, letters are composed, a device name gets a `_` prefix, a long name is shortened, and duplicates get a number. Valid names stay
 * unchanged. No number makes a name one of `taken`. Pure.
 */
export function toPortableNames(names: readonly string[], taken: readonly string[] = []): readonly string[] {
  return numberOnAnySystem(names.map(toPortableName), taken);
}
