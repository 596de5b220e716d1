interface Origin {
  readonly waiting: number[];
  active: number;
}

/** The index of one file whose request may start. */
export interface Taken {
  readonly index: number;
  /** Call it when the request has ended. */
  readonly done: () => void;
}

export interface OriginQueue {
  /** The first waiting file of the origin with the fewest active requests; undefined if none waits. */
  take(): Taken | undefined;
}

function byOrigin(files: readonly (readonly [number, string])[]): Set<Origin> {
  const origins = new Map<string, Origin>();
  for (const [index, url] of files) {
    const name = URL.parse(url)?.origin ?? '';
    const origin = origins.get(name) ?? { waiting: [], active: 0 };
    origins.set(name, origin);
    origin.waiting.push(index);
  }
  for (const { waiting } of origins.values()) waiting.reverse();
  return new Set(origins.values());
}

/** Spreads requests over the origins, so that one that does not respond does not delay the others. */
export function createOriginQueue(files: readonly (readonly [number, string])[]): OriginQueue {
  const origins = byOrigin(files);
  function leastActive(): Origin | undefined {
    let least: Origin | undefined;
    for (const origin of origins) {
      if (origin.waiting.length === 0) origins.delete(origin);
      else if (least === undefined || origin.active < least.active) least = origin;
      if (least?.active === 0) break;
    }
    return least;
  }
  return {
    take: () => {
      const origin = leastActive();
      const index = origin?.waiting.pop();
      if (origin === undefined || index === undefined) return undefined;
      origin.active += 1;
      return {
        index,
        done: () => {
          origin.active -= 1;
        },
      };
    },
  };
}
