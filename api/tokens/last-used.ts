import type { ZipToken } from '#crds/zip-token.ts';
import type { Clock } from '#runtime/clock.ts';
import type { ObjectClient, Reflector } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';
import type { Principal } from './authenticate.ts';

export interface LastUsedDeps {
  readonly tokens: Pick<Reflector<ZipToken>, 'get'>;
  readonly tokenClient: Pick<ObjectClient<ZipToken>, 'mergePatch'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** A token's time of last use is written at most this often. */
  readonly intervalMs: number;
}

/** Notes that a token was used, now and then, in the background; a failed write is tried again with a later request. */
export type NoteUse = (principal: Pick<Principal, 'namespace' | 'tokenName'>) => void;

export const createNoteUse = ({ tokens, tokenClient, clock, log, intervalMs }: LastUsedDeps): NoteUse => {
  /** Monotonic time of the last attempt to write, by token; what is older than the interval is dropped. */
  const tried = new Map<string, number>();

  const isDue = (key: string): boolean => {
    const last = tried.get(key);
    if (last !== undefined && clock.monotonicMs() - last < intervalMs) return false;
    const written = tokens.get(key)?.status?.lastUsedAt;
    return written === undefined || clock.date().getTime() - Date.parse(written) >= intervalMs;
  };

  const forgetOld = (now: number): void => {
    for (const [key, at] of tried) {
      if (now - at < intervalMs) return;
      tried.delete(key);
    }
  };

  const write = async (namespace: string, name: string): Promise<void> => {
    try {
      await tokenClient.mergePatch(
        { namespace, name, subresource: 'status' },
        { status: { lastUsedAt: clock.date().toISOString() } },
      );
    } catch (error) {
      log.warn(
        { err: error, zipToken: `${namespace}/${name}` },
        'could not write when a token was last used',
      );
    }
  };

  return ({ namespace, tokenName }) => {
    const key = `${namespace}/${tokenName}`;
    if (!isDue(key)) return;
    const now = clock.monotonicMs();
    forgetOld(now);
    tried.delete(key);
    tried.set(key, now);
    void write(namespace, tokenName);
  };
};
