import { type Clock, pause, systemClock } from '#runtime/clock.ts';
import { AppError, toError } from '#runtime/errors.ts';
import type { Lease } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';

export interface LeaderElectionOptions {
  readonly leases: Pick<ObjectClient<Lease>, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process: pod name and uid. */
  readonly identity: string;
  /** How long others wait after the last renewal that they saw. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** A leader that could not renew for this long stops. Must be shorter than the lease. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Default 2 s. */
  readonly retryPeriodMs?: number;
  /** Runs while this process leads; its signal aborts when it should stop, or must because the lease is lost. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  /** Ends the election: `lead` is stopped, awaited, and the lease released. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock?: Clock;
  /** For leader_election_master_status. */
  readonly onChange?: (leading: boolean) => void;
}

/** Kubernetes' metav1.MicroTime: exactly six digits of a second; fewer are refused. */
export const microTime = (date: Date): string => `${date.toISOString().slice(0, -1)}000Z`;

/** The lease as this process saw it last, with the local time of the sight. */
interface Observed {
  readonly lease: Lease;
  readonly atMs: number;
}

interface State {
  readonly options: LeaderElectionOptions;
  readonly clock: Clock;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  observed: Observed | undefined;
  /** Start of the last call that took or renewed the lease: its answer may have come much later. */
  renewedMs: number;
}

const sameRecord = (a: Lease, b: Lease): boolean =>
  a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;

/** The clock starts anew only when the lease changed: the times in it come from other machines and decide nothing. */
const observe = (state: State, lease: Lease): Observed => {
  if (!state.observed || !sameRecord(state.observed.lease, lease))
    state.observed = { lease, atMs: state.clock.monotonicMs() };
  return state.observed;
};

const isHeldByOther = (state: State, observed: Observed): boolean => {
  const { holderIdentity, leaseDurationSeconds } = observed.lease.spec ?? {};
  if (holderIdentity === undefined || holderIdentity === '') return false;
  if (holderIdentity === state.options.identity) return false;
  const durationMs = Math.max(state.leaseDurationMs, (leaseDurationSeconds ?? 0) * 1000);
  return state.clock.monotonicMs() < observed.atMs + durationMs;
};

const freshLease = (state: State): Lease => {
  const { namespace, name, identity } = state.options;
  const now = microTime(state.clock.date());
  return {
    metadata: { namespace, name },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(state.leaseDurationMs / 1000),
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    },
  };
};

/** The next record: ours, with the old resourceVersion, so that of two claimants one is refused. */
const claimed = (state: State, before: Lease): Lease => {
  const { acquireTime, holderIdentity, leaseTransitions = 0 } = before.spec ?? {};
  const wasOurs = holderIdentity === state.options.identity;
  return {
    ...before,
    spec: {
      ...before.spec,
      ...freshLease(state).spec,
      ...(wasOurs && acquireTime !== undefined ? { acquireTime } : {}),
      leaseTransitions: wasOurs ? leaseTransitions : leaseTransitions + 1,
    },
  };
};

type Try = (state: State, signal: AbortSignal) => Promise<boolean>;

const claim = async (state: State, current: Lease, signal: AbortSignal): Promise<boolean> => {
  observe(state, await state.options.leases.replace(claimed(state, current), { signal }));
  return true;
};

const createLease: Try = async (state, signal) => {
  const created = await state.options.leases.create(freshLease(state), { signal });
  if (created) observe(state, created);
  return created !== undefined;
};

const tryAcquire: Try = async (state, signal) => {
  const { leases, namespace, name } = state.options;
  const current = await leases.get(namespace, name, signal);
  if (!current) return createLease(state, signal);
  return isHeldByOther(state, observe(state, current)) ? false : claim(state, current, signal);
};

const isOurs = (state: State): boolean =>
  state.observed?.lease.spec?.holderIdentity === state.options.identity;

/** Unlike a new candidate, a leader takes back nothing: what is not its own any more is lost, even when free. */
const tryRenew: Try = async (state, signal) => {
  const { leases, namespace, name } = state.options;
  const current = await leases.get(namespace, name, signal);
  if (!current) return createLease(state, signal);
  observe(state, current);
  return isOurs(state) ? claim(state, current, signal) : false;
};

/** One try, which never throws and takes no longer than the limit. */
const attempt = async (
  task: Try,
  state: State,
  limits: { readonly ms: number; readonly signal: AbortSignal },
): Promise<boolean> => {
  const { namespace, name, log } = state.options;
  const limit = new AbortController();
  const abort = (): void => {
    limit.abort();
  };
  const startedMs = state.clock.monotonicMs();
  using _timer = state.clock.after(limits.ms, abort);
  limits.signal.addEventListener('abort', abort);
  try {
    const succeeded = await task(state, limit.signal);
    if (succeeded) state.renewedMs = startedMs;
    return succeeded;
  } catch (error) {
    if (!limits.signal.aborted)
      log.warn({ err: toError(error), lease: `${namespace}/${name}` }, 'a call for the lease failed');
    return false;
  } finally {
    limits.signal.removeEventListener('abort', abort);
  }
};

/** Resolves true when the lease is ours, false when the signal aborted first. */
const acquire = async (state: State): Promise<boolean> => {
  const { signal } = state.options;
  if (signal.aborted) return false;
  do {
    if (await attempt(tryAcquire, state, { ms: state.renewDeadlineMs, signal })) return true;
    // Up to 20 % more, so that candidates do not ask in step.
  } while (await pause(state.clock, state.retryPeriodMs * (1 + Math.random() * 0.2), signal));
  return false;
};

/** Renews until `ended` aborts (true), another process holds the lease, or the deadline passes without a renewal (false). */
const keepRenewing = async (state: State, ended: AbortSignal): Promise<boolean> => {
  while (await pause(state.clock, state.retryPeriodMs, ended)) {
    const leftMs = state.renewedMs + state.renewDeadlineMs - state.clock.monotonicMs();
    if (leftMs <= 0) return false;
    const renewed = await attempt(tryRenew, state, { ms: leftMs, signal: ended });
    if (!renewed && !isOurs(state)) return false;
  }
  return true;
};

const RELEASE_TRIES = 3;

const tryRelease: Try = async (state, signal) => {
  const { leases, namespace, name } = state.options;
  // Read again: a renewal that was cut short by the stop may have been written all the same.
  const lease = await leases.get(namespace, name, signal);
  if (lease) observe(state, lease);
  if (!lease || !isOurs(state)) return true;
  const renewTime = microTime(state.clock.date());
  const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime };
  await leases.replace({ ...lease, spec }, { signal });
  return true;
};

/** Lets others lead at once instead of after the lease's duration. Best effort: it also runs out by itself. */
const release = async (state: State): Promise<void> => {
  const { signal } = new AbortController();
  for (let tries = 0; tries < RELEASE_TRIES; tries += 1) {
    if (await attempt(tryRelease, state, { ms: state.retryPeriodMs, signal })) return;
  }
};

/** The process must exit: what it still does is no longer alone. */
export class LeadershipLost extends AppError {
  constructor(options: Pick<LeaderElectionOptions, 'namespace' | 'name'>) {
    super(
      `The lease ${options.namespace}/${options.name} was lost: it could not be renewed in time, or another process holds it. This process must end and start anew`,
      { code: 'LeadershipLost', retryable: false },
    );
  }
}

const leadWhileHeld = async (state: State): Promise<void> => {
  const { options } = state;
  const stop = new AbortController();
  const ended = new AbortController();
  const onStop = (): void => {
    stop.abort(options.signal.reason);
  };
  options.signal.addEventListener('abort', onStop);
  const renewing = keepRenewing(state, ended.signal).then((held) => {
    if (!held) stop.abort(new LeadershipLost(options));
    return held;
  });
  try {
    if (options.signal.aborted) onStop();
    const leading = options.lead(stop.signal).finally(() => {
      ended.abort();
    });
    // The lease is renewed until `lead` has really ended: nobody else may begin while something is still in hand here.
    const isHeld = await Promise.race([renewing, leading.then(() => true)]);
    if (!isHeld) {
      leading.catch(() => undefined);
      throw new LeadershipLost(options);
    }
    await leading;
  } finally {
    ended.abort();
    options.signal.removeEventListener('abort', onStop);
  }
  await renewing;
};

const leadAndRelease = async (state: State): Promise<void> => {
  try {
    await leadWhileHeld(state);
  } catch (error) {
    if (!(error instanceof LeadershipLost)) await release(state);
    throw error;
  }
  await release(state);
};

/**
 * Waits for the lease, leads while it is held, and releases it when `lead` has ended after the stop signal. The rules are
 * client-go's: a lease counts as held for its duration after the last change that this process saw, by its own monotonic
 * clock, so clocks of other machines do not matter; every write carries the resourceVersion that was read.
 * @throws LeadershipLost
 * @throws what `lead` throws, after the release.
 */
export const runAsLeader = async (options: LeaderElectionOptions): Promise<void> => {
  const state: State = {
    options,
    clock: options.clock ?? systemClock,
    leaseDurationMs: options.leaseDurationMs ?? 15_000,
    renewDeadlineMs: options.renewDeadlineMs ?? 10_000,
    retryPeriodMs: options.retryPeriodMs ?? 2_000,
    observed: undefined,
    renewedMs: 0,
  };
  const { log, identity, onChange } = options;
  log.info({ identity }, 'waiting for the lease');
  if (!(await acquire(state))) return;
  log.info({ identity }, 'leading');
  onChange?.(true);
  try {
    await leadAndRelease(state);
  } finally {
    onChange?.(false);
  }
};
