/** The time window of a test, in milliseconds since 1970. */
export interface TestWindow {
  /** When the first suite of its file started. */
  readonly fileFrom: number;
  readonly from: number;
  readonly to: number;
}

/** Kubernetes truncates times to whole seconds. */
const SECOND = 1_000;

export const isSince = (from: number, time: number): boolean => time >= from - SECOND;

/**
 * The latest time of an object: its creation, its deletion and the writes of its field managers; 0 when
 * unknown.
 */
export const lastChange = (metadata: {
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly managedFields?: readonly { readonly time?: string }[];
}): number => {
  const times = [metadata.creationTimestamp, metadata.deletionTimestamp];
  const writes = (metadata.managedFields ?? []).map(({ time }) => time);
  return Math.max(0, ...[...times, ...writes].map((time) => Date.parse(time ?? '') || 0));
};
