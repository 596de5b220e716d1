import { MOST_CHECK_FAILURES, type SourceCheck, type SourceFailure } from '#crds/zip-outcome.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { SourceError } from './source-error.ts';

interface Good {
  /** Declared by the source. */
  readonly length: number | undefined;
}

/** What is known of each source. Of several reports about one source, the last one counts. */
export interface KnownSources {
  isKnown(index: number): boolean;
  /** The source responded with the file. */
  good(index: number, declaredLength: number | undefined): void;
  failed(failure: SourceFailure): void;
  summary(): SourceCheck;
}

/** "Too many requests" is about the origin, and says nothing about the source. */
export function isTooMany({ httpStatus }: SourceError): boolean {
  return httpStatus === 429;
}

/** A refused destination is not distinguished from a failed connection, so that callers cannot map a network. */
export function toSourceFailure({ fileIndex, code, httpStatus, refused }: SourceError): SourceFailure {
  return refused ? { fileIndex, code: 'SourceUnreachable' } : { fileIndex, code, ...defined({ httpStatus }) };
}

function isFailure(outcome: Good | SourceFailure): outcome is SourceFailure {
  return 'code' in outcome;
}

export function createKnownSources(): KnownSources {
  const outcomes = new Map<number, Good | SourceFailure>();
  return {
    isKnown: (index) => outcomes.has(index),
    good: (index, length) => {
      outcomes.set(index, { length });
    },
    failed: (failure) => {
      outcomes.set(failure.fileIndex, failure);
    },
    summary: () => {
      const known = [...outcomes.values()];
      const failures = known.filter(isFailure).toSorted((a, b) => a.fileIndex - b.fileIndex);
      const lengths = known.flatMap((outcome) => (isFailure(outcome) ? [] : (outcome.length ?? [])));
      const bytes = lengths.reduce((sum, length) => sum + length, 0);
      return {
        checked: known.length,
        failed: failures.length,
        failures: failures.slice(0, MOST_CHECK_FAILURES),
        bytes: Math.min(bytes, Number.MAX_SAFE_INTEGER),
        lengths: lengths.length,
      };
    },
  };
}
