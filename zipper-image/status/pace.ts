import type { Progress } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';

/** Time window of the rate. */
const WINDOW_MS = 30_000;
/** Minimum time between two samples for a meaningful rate. */
const LEAST_SPAN_MS = 500;

export interface Pace {
  /** Called when a file starts; `length` is undefined if its source declares none. */
  addFile(length: number | undefined): void;
  /** The bytes of all files, if they are known before the first one starts. */
  stateTotal(bytes: number | undefined): void;
  /** `bytesKept`: those of `bytesRead` that earlier pods read, which say nothing about the rate. */
  at(
    now: Date,
    bytesRead: number,
    bytesKept?: number,
  ): Pick<Progress, 'bytesKnown' | 'bytesTotal' | 'bytesPerSecond' | 'estimatedEndAt'>;
}

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

/** The samples within the window, and one before it. */
class Rate {
  #samples: readonly Sample[] = [];

  /** Bytes per second; undefined while the samples are too close together. */
  at(sample: Sample): number | undefined {
    const { atMs, bytes } = sample;
    // Samples in the future are from before the clock was set back. Then the count restarts.
    const past = this.#samples.filter((other) => other.atMs < atMs);
    const kept = past.length < this.#samples.filter((other) => other.atMs !== atMs).length ? [] : past;
    const before = kept.findLastIndex((other) => other.atMs <= atMs - WINDOW_MS);
    this.#samples = [...kept.slice(Math.max(0, before)), sample];
    const first = this.#samples[0] ?? sample;
    const spanMs = atMs - first.atMs;
    return spanMs < LEAST_SPAN_MS ? undefined : Math.max(0, ((bytes - first.bytes) * 1000) / spanMs);
  }
}

/** The read rate and the estimated end. */
export function createPace(filesTotal: number): Pace {
  const recent = new Rate();
  let started = 0;
  let reported = 0;
  let reportedBytes = 0;
  let stated: number | undefined;
  function expectedBytes(): number | undefined {
    return stated ?? (reported === 0 ? undefined : (reportedBytes / reported) * filesTotal);
  }
  function endAt(now: Date, bytesRead: number, rate: number): string | undefined {
    const expected = expectedBytes();
    if (expected === undefined || rate === 0) return undefined;
    const leftMs = (Math.max(0, expected - bytesRead) * 1000) / rate;
    const end = new Date(now.getTime() + Math.round(leftMs / 1000) * 1000);
    return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
  }
  function known(): Pick<Progress, 'bytesKnown' | 'bytesTotal'> {
    if (stated !== undefined) return { bytesTotal: stated };
    if (reported === 0) return {};
    const isTotal = started === filesTotal && reported === started;
    return isTotal ? { bytesTotal: reportedBytes } : { bytesKnown: reportedBytes };
  }
  return {
    addFile: (length) => {
      started += 1;
      if (length === undefined) return;
      reported += 1;
      reportedBytes += length;
    },
    stateTotal: (bytes) => {
      stated = bytes;
    },
    at: (now, bytesRead, bytesKept = 0) => {
      const rate = recent.at({ atMs: now.getTime(), bytes: bytesRead - bytesKept });
      const estimatedEndAt = rate === undefined ? undefined : endAt(now, bytesRead, rate);
      return {
        ...known(),
        ...(rate !== undefined && { bytesPerSecond: Math.round(rate) }),
        ...defined({ estimatedEndAt }),
      };
    },
  };
}
