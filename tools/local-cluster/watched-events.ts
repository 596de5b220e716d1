/** An event of a watch as a proxy sees it: a line of JSON. */
export interface WatchedEvent {
  readonly line: string;
  readonly type: string;
  /** Tells objects apart; empty for a bookmark. */
  readonly uid: string;
}

interface Line {
  readonly type?: string;
  readonly object?: { readonly metadata?: { readonly uid?: string } };
}

export const readEvent = (line: string): WatchedEvent => {
  const { type = '', object } = JSON.parse(line) as Line;
  return { line, type, uid: object?.metadata?.uid ?? '' };
};

/** What is left of the events when only the newest of each object is told, as of an API server that lags behind. */
export const mergeEvents = (events: readonly WatchedEvent[]): readonly WatchedEvent[] => {
  const added = new Set(events.filter(({ type }) => type === 'ADDED').map(({ uid }) => uid));
  const newest = new Map(events.map((event) => [event.uid, event]));
  return events
    .filter((event) => event === newest.get(event.uid))
    .map((event) =>
      event.type === 'MODIFIED' && added.has(event.uid)
        ? { ...event, line: event.line.replace('"type":"MODIFIED"', '"type":"ADDED"') }
        : event,
    );
};
