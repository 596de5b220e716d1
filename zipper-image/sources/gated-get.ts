import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';
import type { RetryLimit } from '#runtime/time/retry-limit.ts';
import type { HostGates } from './host-gates.ts';
import { type GetRequest, httpGet, type ResponseHead } from './http-get.ts';
import { isConnectionRefusal, readOriginReport } from './origin-report.ts';
import { statusFault } from './source-faults.ts';
import type { Turn } from './turn.ts';

export interface GateUse {
  readonly hosts: HostGates;
  /** Of the file in the list: the earliest comes first. */
  readonly index: number;
  /** Sends the request again if it failed because of other requests. */
  readonly mayRepeat: boolean;
  /** Counts neither the wait for the gate, nor requests that failed because of others. */
  readonly limit?: Pick<RetryLimit, 'elapsedMs' | 'excluding' | 'rewind'> | undefined;
  /** Called with the origin when the gate is closed. The returned function is called at the end of the wait. */
  readonly onQueued?: ((origin: string) => () => void) | undefined;
  /** Further headers of each request, made when it is sent, because a signature is valid for minutes only. */
  readonly sign?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
}

type Signed = Pick<GateUse, 'sign'>;

async function getSigned(request: GetRequest, sign: NonNullable<Signed['sign']>): Promise<ResponseHead> {
  return httpGet({ ...request, headers: { ...request.headers, ...(await sign()) } });
}

function getIn(turn: Turn, request: GetRequest, { sign }: Signed): Promise<ResponseHead> {
  const heard: GetRequest = {
    ...request,
    onHead: (head) => turn.responded(readOriginReport(head, new Date())),
  };
  return sign ? getSigned(heard, sign) : httpGet(heard);
}

/** Undefined if the request failed because of other requests to the origin. */
async function getUnlessExcused(
  turn: Turn,
  request: GetRequest,
  signed: Signed,
): Promise<ResponseHead | undefined> {
  try {
    const head = await getIn(turn, request, signed);
    if (turn.fault) throw turn.fault;
    return turn.isExcused && statusFault(head, request.url, Date.now()).retryable ? undefined : head;
  } catch (error) {
    if (turn.hasResponded || !isConnectionRefusal(error)) throw error;
    if (await turn.refused()) return undefined;
    throw error;
  }
}

/**
 * One GET as soon as the gate of its origin is open, and again as long as the gate takes the failure on itself. Rejects as
 * httpGet and HostGates.enter.
 */
export async function gatedGet(request: GetRequest, use: GateUse): Promise<ResponseHead> {
  const { hosts, index, limit, mayRepeat, onQueued } = use;
  const { signal } = request;
  const { origin } = request.url;
  async function waitForTurn(): Promise<Turn> {
    const turn = hosts.enter(origin, index, signal);
    const endWait = onQueued?.(origin);
    try {
      return await (limit ? limit.excluding(turn) : turn);
    } finally {
      endWait?.();
    }
  }
  for (;;) {
    const elapsedMs = limit?.elapsedMs ?? 0;
    const turn = hosts.enterAtOnce(origin, index) ?? (await waitForTurn());
    try {
      const head = await (mayRepeat ? getUnlessExcused(turn, request, use) : getIn(turn, request, use));
      if (head) return head;
    } finally {
      // undici reuses a connection in the next iteration of the event loop. Until then, it would open another one.
      if (hosts.countsConnections(origin)) await nextIteration();
      turn.leave();
    }
    if (turn.ownWaitMs > 0) await delay(turn.ownWaitMs, undefined, { signal });
    limit?.rewind(elapsedMs);
  }
}
