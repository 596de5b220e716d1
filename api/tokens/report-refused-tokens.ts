import { type Condition, findCondition, REASONS, setCondition } from '#crds/conditions.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import type { ObjectClient, ObjectKey, Reflector } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { AcceptedTokens, TokenRefusal } from './accepted-tokens.ts';

export interface RefusedTokensDeps {
  readonly accepted: Pick<AcceptedTokens, 'version' | 'refused'>;
  readonly tokens: Pick<Reflector<ZipToken>, 'hasSynced' | 'values'>;
  readonly tokenClient: Pick<ObjectClient<ZipToken>, 'mergePatch'>;
  readonly isOpen: (namespace: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 5_000;
/** A project that is created or deleted changes what is accepted too. */
const REPEAT_MS = 60_000;
/** Owners of projects decide how many tokens are refused: writes of these conditions are few. */
const WRITES_PER_INTERVAL = 5;

function conditionsAfter(
  token: ZipToken,
  refusal: TokenRefusal | undefined,
  now: Date,
): readonly Condition[] | undefined {
  const { conditions } = token.status ?? {};
  const before = findCondition(conditions, 'Accepted');
  // Only a token that was refused says later that it is accepted.
  if (before?.reason === refusal || (refusal === undefined && before?.status !== 'False')) return undefined;
  const reason = refusal ?? 'TokenAccepted';
  const status = refusal === undefined ? 'True' : 'False';
  return setCondition(conditions, { type: 'Accepted', status, reason, message: REASONS[reason] }, now);
}

/** Writes the condition Accepted of tokens that the API refuses although their hashes may be right. Stops when it is disposed of. */
export function reportRefusedTokens(deps: RefusedTokensDeps): Disposable {
  const { accepted, tokens, tokenClient, isOpen, clock, log } = deps;
  /** What is reported: the version, and when. */
  let done = { version: 0, atMs: clock.monotonicMs() };
  let isStopped = false;
  let timer: Disposable | undefined;

  async function write({ metadata }: ZipToken, conditions: readonly Condition[]): Promise<void> {
    const { namespace, name } = metadata;
    try {
      await tokenClient.mergePatch({ namespace, name, subresource: 'status' }, { status: { conditions } });
    } catch (error) {
      log.warn({ err: error, zipToken: `${namespace}/${name}` }, 'could not report a refused token');
    }
  }
  /** The next writes; none if everything is reported. */
  function due(refused: ReadonlyMap<ObjectKey, TokenRefusal>) {
    const writes: { readonly token: ZipToken; readonly conditions: readonly Condition[] }[] = [];
    for (const token of tokens.values()) {
      const { namespace, name } = token.metadata;
      const conditions = conditionsAfter(token, refused.get(`${namespace}/${name}`), clock.date());
      if (conditions !== undefined) writes.push({ token, conditions });
      if (writes.length === WRITES_PER_INTERVAL) break;
    }
    return writes;
  }
  async function report(): Promise<void> {
    const { version } = accepted;
    const atMs = clock.monotonicMs();
    if (!tokens.hasSynced || (version === done.version && atMs < done.atMs + REPEAT_MS)) return;
    const writes = due(accepted.refused(isOpen));
    if (writes.length === 0) done = { version, atMs };
    for (const { token, conditions } of writes) if (!isStopped) await write(token, conditions);
  }
  function next(): void {
    if (isStopped) return;
    timer = clock.after(INTERVAL_MS, () => void report().finally(next));
  }
  next();
  return {
    [Symbol.dispose]: () => {
      isStopped = true;
      timer?.[Symbol.dispose]();
    },
  };
}
