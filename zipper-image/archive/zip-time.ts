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

/**
 * DOS times have no time zone. UTC is written, so that the same inputs give the same bytes on every machine. Times
 * outside the range of DOS become the nearest valid time; an invalid date becomes the earliest.
 */
export function toZipTime(time: Date): ZipTime {
  const ms = Number.isNaN(time.getTime()) ? EARLIEST_MS : time.getTime();
  const clamped = new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS));
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
