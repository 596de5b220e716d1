/** An event of a watch: one line of JSON. */
export interface WatchedEvent {
  readonly line: string;
  readonly type: string;
  /** UID of the object; empty for a bookmark. */
  readonly uid: string;
}

interface Line {
  readonly type?: string;
  readonly object?: { readonly metadata?: { readonly uid?: string } };
}

export function readEvent(line: string): WatchedEvent {
  const { type = '', object } = JSON.parse(line) as Line;
  return { line, type, uid: object?.metadata?.uid ?? '' };
}

/** Keeps only the newest event of each object, like an API server that lags behind. */
export function mergeEvents(events: readonly WatchedEvent[]): readonly WatchedEvent[] {
  const added = new Set(events.filter(({ type }) => type === 'ADDED').map(({ uid }) => uid));
  const newest = new Map(events.map((event) => [event.uid, event]));
  return events
    .filter((event) => event === newest.get(event.uid))
    .map((event) =>
      event.type === 'MODIFIED' && added.has(event.uid)
        ? { ...event, line: event.line.replace('"type":"MODIFIED"', '"type":"ADDED"') }
        : event,
    );
}
