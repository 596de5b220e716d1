/** A modification time in the two formats of an archive. */
export interface ZipTime {
  readonly dosDate: number;
  readonly dosTime: number;
  /** Seconds since 1970, UTC, for the extended timestamp field; undefined if they do not fit into 32 signed bits. */
  readonly unixSeconds: number | undefined;
}

const EARLIEST_MS = Date.UTC(1980, 0, 1);
const LATEST_MS = Date.UTC(2107, 11, 31, 23, 59, 58);
const LATEST_UNIX_SECONDS = 0x7fff_ffff;

function clamp(time: Date): number {
  const ms = Number.isNaN(time.getTime()) ? EARLIEST_MS : time.getTime();
  return Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS);
}

/**
 * DOS times have no time zone. UTC is written, so that the same inputs give the same bytes on every machine. Times
 * outside the range of DOS become the nearest valid time; an invalid date becomes the earliest.
 */
export function toZipTime(time: Date): ZipTime {
  const clamped = new Date(clamp(time));
  const seconds = Math.floor(clamped.getTime() / 1000);
  return {
    dosDate:
      ((clamped.getUTCFullYear() - 1980) << 9) | ((clamped.getUTCMonth() + 1) << 5) | clamped.getUTCDate(),
    dosTime:
      (clamped.getUTCHours() << 11) |
      (clamped.getUTCMinutes() << 5) |
      Math.floor(clamped.getUTCSeconds() / 2),
    unixSeconds: seconds <= LATEST_UNIX_SECONDS ? seconds : undefined,
  };
}

/** The time in seconds since the start of 1980, UTC: 32 bits, from which the same entry follows. */
export function toSecondsSince1980(time: Date): number {
  return Math.floor((clamp(time) - EARLIEST_MS) / 1000);
}

export function ofSecondsSince1980(seconds: number): Date {
  return new Date(EARLIEST_MS + 1000 * seconds);
}
