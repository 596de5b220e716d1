import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type BlockList, connect, isIP, type Socket } from 'node:net';
import { defined } from '../collections/optional.ts';
import { AppError, errorCode, isAbort } from '../errors.ts';

export interface SocketTarget {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The port of a target, or else that of its scheme. */
export function portOf(port: string | number | null | undefined, isSecure: boolean): number {
  return Number(port) || (isSecure ? 443 : 80);
}

/** The port of an HTTP URL, also if it is that of the scheme, which the URL does not contain. */
export function portOfUrl({ protocol, port }: URL): number {
  return portOf(port, protocol === 'https:');
}

export interface OpenSocketOptions {
  /** All addresses of a name, in the order in which they are tried. */
  readonly resolve: (name: string) => Promise<readonly LookupAddress[]>;
  /** Addresses that are never connected to. */
  readonly blockList?: BlockList | undefined;
  /** For all addresses together, including the lookup. */
  readonly timeoutMs: number;
  /** Each address but the last has at least this time. Default 2 s. */
  readonly leastShareMs?: number | undefined;
}

/** A lost SYN is sent again after a second. */
const LEAST_SHARE_MS = 2000;
/** More than the addresses of any usual name. A name may have thousands, and each is a connection for each try. */
const MOST_ADDRESSES = 16;
/** The text is part of errors and log lines. */
const MOST_REASONS = 8;
/** As that of undici. */
const KEEP_ALIVE_DELAY_MS = 60_000;

/** Why no connection to one address was made. */
interface AddressFailure {
  readonly family: number;
  /** The code of the error, or `timeout`. */
  readonly reason: string;
}

/** The code of several failures: that of the policy, of a host that is up, of one that may be up. */
const CODES: ReadonlyMap<string, string> = new Map([
  ['ERR_IP_BLOCKED', 'ERR_IP_BLOCKED'],
  ['ECONNREFUSED', 'ECONNREFUSED'],
  ['timeout', 'UND_ERR_CONNECT_TIMEOUT'],
]);

function codeOf(failures: readonly AddressFailure[]): string {
  const reasons = failures.map(({ reason }) => reason);
  for (const [reason, code] of CODES) if (reasons.includes(reason)) return code;
  return reasons[0] ?? 'UND_ERR_CONNECT_TIMEOUT';
}

interface Attempts {
  readonly failures: readonly AddressFailure[];
  /** Addresses that were not tried within the limit of the time. */
  readonly untried: number;
  /** Addresses beyond the limit of their number. */
  readonly ignored: number;
}

function describeAttempts({ failures, untried, ignored }: Attempts): string {
  const reasons = failures.slice(0, MOST_REASONS).map(({ family, reason }) => `IPv${family} ${reason}`);
  if (failures.length > MOST_REASONS) reasons.push(`and ${failures.length - MOST_REASONS} more`);
  const untriedText = untried === 0 ? '' : `; no time was left for ${untried} more of its addresses`;
  const ignoredText =
    ignored === 0 ? '' : `; only ${MOST_ADDRESSES} of its ${MOST_ADDRESSES + ignored} addresses are tried`;
  return reasons.join(', ') + untriedText + ignoredText;
}

/** No address of the host accepted a connection. Contains no address: users may see the text. */
export class UnconnectedError extends AppError {
  readonly failures: readonly AddressFailure[];

  constructor({ host, port }: SocketTarget, attempts: Attempts, cause: unknown) {
    const { failures } = attempts;
    super(`Could not connect to ${host}:${port}: ${describeAttempts(attempts)}`, {
      code: codeOf(failures),
      retryable: true,
      cause,
    });
    this.failures = failures;
  }
}

function reasonOf(error: unknown): string {
  const code = errorCode(error) ?? 'unknown';
  return code === 'ETIMEDOUT' || code === 'ABORT_ERR' ? 'timeout' : code;
}

/** Records the attempts of a socket, which tries one address after the other. */
function watchAttempts(socket: Socket) {
  const tried: number[] = [];
  const failures: AddressFailure[] = [];
  socket.on('connectionAttempt', (_address, _port, family) => tried.push(family));
  socket.on('connectionAttemptFailed', (...[, , family, error]) =>
    failures.push({ family, reason: reasonOf(error) }),
  );
  socket.on('connectionAttemptTimeout', (_address, _port, family) =>
    failures.push({ family, reason: 'timeout' }),
  );
  return ({ chosen, ignored }: Addresses, error: unknown): Attempts => {
    const open = tried.slice(failures.length).map((family) => ({ family, reason: reasonOf(error) }));
    const untried = chosen.length - failures.length - open.length;
    return { failures: [...failures, ...open], untried, ignored };
  };
}

interface Addresses {
  readonly chosen: LookupAddress[];
  /** The number of the others. */
  readonly ignored: number;
}

/** The first of them, without duplicates. Families alternate, as Node tries them: a host may have no route to one of them. */
function chooseAddresses(addresses: readonly LookupAddress[]): Addresses {
  const unique = [...new Map(addresses.map((entry) => [entry.address, entry])).values()];
  const ranks = new Map<number, number>();
  const ranked = unique.map((entry) => {
    const rank = ranks.get(entry.family) ?? 0;
    ranks.set(entry.family, rank + 1);
    return { entry, rank };
  });
  const chosen = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, MOST_ADDRESSES);
  return { chosen: chosen.map(({ entry }) => entry), ignored: unique.length - chosen.length };
}

/**
 * Opens a connection to the first address of the host that accepts one. Node tries them one after the other, and by default
 * gives up each but the last after 250 ms, whatever the limit is; here, each has an equal share of the limit. Node takes this
 * time before it resolves the name, so the name is resolved first.
 * @throws UnconnectedError, or the error of `resolve`
 */
export async function openSocket(target: SocketTarget, options: OpenSocketOptions): Promise<Socket> {
  const { host, port } = target;
  const { resolve, blockList, timeoutMs, leastShareMs = LEAST_SHARE_MS } = options;
  const startedMs = performance.now();
  const all = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }];
  const addresses = chooseAddresses(all);
  const leftMs = Math.max(1, Math.ceil(timeoutMs - (performance.now() - startedMs)));
  const socket = connect({
    host,
    port,
    ...defined({ blockList }),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: Math.ceil(Math.max(leastShareMs, leftMs / addresses.chosen.length)),
    lookup: (_name, _options, callback) => process.nextTick(callback, null, addresses.chosen),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
  });
  // Without a listener, an error before the next owner listens would end the process.
  socket.on('error', () => undefined);
  const attempts = watchAttempts(socket);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(leftMs) });
    return socket;
  } catch (error) {
    socket.destroy();
    // The end of the limit is no abort by a caller.
    throw new UnconnectedError(target, attempts(addresses, error), isAbort(error) ? undefined : error);
  }
}
