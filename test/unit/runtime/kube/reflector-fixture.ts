import type { Reflector } from '#runtime/kube/types.ts';
import { createReflector } from '#runtime/kube/watch/reflector.ts';
import type { ReflectorOptions } from '#runtime/kube/watch/reflector-options.ts';
import { createLogger } from '#runtime/log/log.ts';
import { until } from '#test/support/until.ts';
import {
  type Exchange,
  NOTES,
  type Note,
  type ScriptedApiServer,
  startScriptedApiServer,
} from './scripted-api-server.ts';

const log = createLogger('test', { level: 'silent' });
export const FAST = { minBackoffMs: 5, maxBackoffMs: 20, silenceLimitMs: 1_000, watchList: false };

export interface Fixture extends AsyncDisposable {
  readonly server: ScriptedApiServer;
  readonly reflector: Reflector<Note>;
  /** `set ns/a uid` or `deleted ns/a uid`. */
  readonly changes: string[];
  readonly counted: string[];
  stop(): void;
  readonly running: Promise<void>;
}

/** Newer than all versions of tests. */
const NEWEST = 1_000_000_000;

/** `newestVersion`: the response to a request for the newest version; `none` leaves it to the test. */
export async function startReflector({
  newestVersion = NEWEST,
  ...options
}: Partial<ReflectorOptions<Note>> & { readonly newestVersion?: number | 'none' } = {}): Promise<Fixture> {
  const server = await startScriptedApiServer({
    newestVersion: newestVersion === 'none' ? undefined : newestVersion,
  });
  const changes: string[] = [];
  const counted: string[] = [];
  const reflector = createReflector<Note>({
    kube: server.kube,
    definition: NOTES,
    log,
    onChange: (change) =>
      changes.push(
        `${change.kind} ${change.key} ${(change.kind === 'set' ? change.object : change.before).metadata.uid}`,
      ),
    metrics: {
      relisted: (kind, reason) => counted.push(`relist ${kind} ${reason}`),
      watchEnded: (kind, reason) => counted.push(`end ${kind} ${reason}`),
      changesMissed: (kind, count) => counted.push(`missed ${kind} ${count}`),
      eventReceived: () => undefined,
    },
    settings: FAST,
    ...options,
  });
  const abort = new AbortController();
  const running = reflector.run(abort.signal);
  return {
    server,
    reflector,
    changes,
    counted,
    running,
    stop: () => abort.abort(),
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      await running;
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Responds to the first list and returns the watch that follows. */
export async function followed(
  fixture: Fixture,
  version: number,
  ...notes: readonly Note[]
): Promise<Exchange> {
  (await fixture.server.next()).list(version, notes);
  return fixture.server.next();
}

export function startOf({ url }: Exchange): string | null {
  return url.searchParams.get('resourceVersion');
}

export function has(fixture: Fixture, key: string, version: number): Promise<true> {
  return until(
    `${key} at ${version}`,
    () => fixture.reflector.get(key)?.metadata.resourceVersion === String(version),
    {
      limitMs: 15_000,
      intervalMs: 2,
    },
  ) as Promise<true>;
}
