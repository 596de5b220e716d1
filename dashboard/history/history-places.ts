/**
 * Where the pages of the history start. The database gives only the start of the next, older page. So a link to a page has the
 * starts of the pages before it too, for the way back.
 */

interface HistoryPlace {
  readonly cursor: string;
  /** How many jobs the newer pages have; undefined in a link without it. */
  readonly rows: number | undefined;
}

export interface HistoryPlaces {
  /** Of the second and each later page, up to the shown one. */
  readonly places: readonly HistoryPlace[];
  /** The starts of the first pages were left out. */
  readonly isCut: boolean;
}

/** More would make the URLs too long. */
const MOST_PLACES = 30;
const CUT = '*';
const UNKNOWN = '-';

/** Reads `cursor.rows`, one for each page, or a cursor alone. */
export function readPlaces(text: string): HistoryPlaces {
  const parts = text === '' ? [] : text.split('.');
  const isCut = parts[0] === CUT;
  if (isCut) parts.shift();
  const places: HistoryPlace[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const rows = /^\d{1,9}$/.test(parts[at + 1] ?? '') ? Number(parts[at + 1]) : undefined;
    places.push({ cursor: parts[at] ?? '', rows });
  }
  return { places: places.slice(-MOST_PLACES), isCut: isCut || places.length > MOST_PLACES };
}

function writePlaces({ places, isCut }: HistoryPlaces): string {
  const kept = places.slice(-MOST_PLACES);
  const isLonger = isCut || kept.length < places.length;
  const parts = kept.map(({ cursor, rows }) => `${cursor}.${rows ?? UNKNOWN}`);
  return [...(isLonger ? [CUT] : []), ...parts].join('.');
}

/** How many jobs are on newer pages; undefined if nobody knows. */
export function rowsBefore({ places }: HistoryPlaces): number | undefined {
  return places.length === 0 ? 0 : places.at(-1)?.rows;
}

/** The page after this one, which has `count` jobs. */
export function olderPlaces(shown: HistoryPlaces, next: string, count: number): string {
  const before = rowsBefore(shown);
  const rows = before === undefined ? undefined : before + count;
  return writePlaces({ ...shown, places: [...shown.places, { cursor: next, rows }] });
}

/** The page before this one; undefined if there is none, or nobody knows where it starts. */
export function newerPlaces({ places, isCut }: HistoryPlaces): string | undefined {
  if (places.length === 0 || (places.length === 1 && isCut)) return undefined;
  return writePlaces({ places: places.slice(0, -1), isCut });
}
