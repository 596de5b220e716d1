import { toError } from '../../errors.ts';
import { listPages } from '../client/list-pages.ts';
import type { KubeObject } from '../types.ts';
import { applyEvent } from './open-watch.ts';
import { type Parts, queryOf } from './reflector-parts.ts';

/** Time between two refills of a namespace: each reads all of its objects. */
const INTERVAL_MS = 30_000;

export interface Refills {
  /** At once, or when the last one was long enough ago. */
  request(namespace: string): void;
  /** Accepts requests until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

async function refill<T extends KubeObject>(
  parts: Parts<T>,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const { options, cache } = parts;
  const query = { ...queryOf(parts, signal), namespace };
  let isFirst = true;
  for await (const { items } of listPages(options.kube, options.definition, query)) {
    if (isFirst) cache.forgetLeftOut(namespace);
    isFirst = false;
    for (const object of items) applyEvent(parts, { type: 'ADDED', object });
  }
}

/**
 * Receives the objects of single namespaces again: those that were left out when there was no room, and those of which only the
 * identity was kept. A list of all namespaces would cost as much as they all have.
 */
export function createRefills<T extends KubeObject>(parts: Parts<T>): Refills {
  const { options, clock, turn } = parts;
  const requested = new Map<string, Disposable>();
  const last = new Map<string, number>();
  let running: AbortSignal | undefined;

  function note(namespace: string): void {
    const nowMs = clock.monotonicMs();
    for (const [name, atMs] of last) if (atMs + INTERVAL_MS < nowMs) last.delete(name);
    last.set(namespace, nowMs);
  }
  async function once(namespace: string, signal: AbortSignal): Promise<void> {
    function isStopped(): boolean {
      return signal.aborted;
    }
    if (isStopped()) return;
    requested.delete(namespace);
    if (!parts.cache.hasRoom(namespace)) return;
    note(namespace);
    try {
      await refill(parts, namespace, signal);
    } catch (error) {
      if (isStopped()) return;
      const facts = { err: toError(error), kind: options.definition.kind, namespace };
      options.log.info(facts, 'could not list the objects of a namespace, will retry');
      request(namespace);
    }
  }
  function request(namespace: string): void {
    const signal = running;
    if (!signal || signal.aborted || requested.has(namespace)) return;
    const sinceMs = clock.monotonicMs() - (last.get(namespace) ?? -Infinity);
    const timer = clock.after(Math.max(0, INTERVAL_MS - sinceMs), () => {
      void turn.take(() => once(namespace, signal));
    });
    requested.set(namespace, timer);
  }

  return {
    request,
    run: async (signal) => {
      running = signal;
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => aborted.resolve());
      if (!signal.aborted) await aborted.promise;
      for (const timer of requested.values()) timer[Symbol.dispose]();
      await turn.take(() => Promise.resolve());
    },
  };
}
