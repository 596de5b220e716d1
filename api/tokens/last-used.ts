import type { ZipToken } from '#crds/zip-token.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { Principal } from './authenticate.ts';

export interface LastUsedDeps {
  readonly tokens: Pick<Reflector<ZipToken>, 'get'>;
  readonly tokenClient: Pick<ObjectClient<ZipToken>, 'mergePatch'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Minimum interval between two updates of a token's last use. */
  readonly intervalMs: number;
}

/** Records the use of a token in the background, at most once per interval; a later request retries a failed write. */
export type NoteUse = (principal: Pick<Principal, 'namespace' | 'tokenName'>) => void;

export function createNoteUse({ tokens, tokenClient, clock, log, intervalMs }: LastUsedDeps): NoteUse {
  /** Monotonic time of the last write attempt by token; entries older than the interval are removed. */
  const tried = new Map<string, number>();

  function isDue(key: string): boolean {
    const last = tried.get(key);
    if (last !== undefined && clock.monotonicMs() - last < intervalMs) return false;
    const written = tokens.get(key)?.status?.lastUsedAt;
    return written === undefined || clock.date().getTime() - Date.parse(written) >= intervalMs;
  }

  function forgetOld(now: number): void {
    for (const [key, at] of tried) {
      if (now - at < intervalMs) return;
      tried.delete(key);
    }
  }

  async function write(namespace: string, name: string): Promise<void> {
    try {
      await tokenClient.mergePatch(
        { namespace, name, subresource: 'status' },
        { status: { lastUsedAt: clock.date().toISOString() } },
      );
    } catch (error) {
      log.warn({ err: error, zipToken: `${namespace}/${name}` }, 'could not record the last use of a token');
    }
  }

  return ({ namespace, tokenName }) => {
    const key = `${namespace}/${tokenName}`;
    if (!isDue(key)) return;
    const now = clock.monotonicMs();
    forgetOld(now);
    tried.delete(key);
    tried.set(key, now);
    void write(namespace, tokenName);
  };
}
