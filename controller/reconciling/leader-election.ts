import { AppError, toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type Clock, pause, systemClock } from '#runtime/time/clock.ts';
import { createLeaseLock, type LeaseLock, type LeaseLockOptions } from './lease-lock.ts';

/*
 * One process leads at a time. What a replica does, and what moves it on:
 *
 *     waiting ── the lease is free, expired or ours ──> leading ── stop signal, or the work failed ──> releasing ──> ended
 *        │                                                 │
 *        └── stop signal ──> ended                         └── renewed too late, or another holds it ──> lost
 *
 * - waiting (`acquire`): tries every retry period, and at the moment when the lease of a silent leader expires.
 * - leading (`leadWhileHeld`): `lead` runs, and the lease is renewed beside it until `lead` has ended. So no other replica starts
 *   while this one still works, also after the stop signal.
 * - releasing (`release`): gives the lease up, so that another replica leads at once. Best effort: the lease also expires.
 * - lost (`LeadershipLost`): nothing is released, because another may hold the lease. The signal of `lead` aborts, but nothing waits
 *   for its end: the process must exit. The deadline of a renewal is shorter than the lease, so this happens before another may lead.
 *
 * The lease is judged by the time that this process saw pass, never by the clock of another (lease-lock.ts).
 */

export interface LeaderElectionOptions
  extends Pick<LeaseLockOptions, 'leases' | 'namespace' | 'name' | 'identity' | 'onSeen'> {
  /** How long other replicas wait after the last renewal that they saw. Default 15 s. */
  readonly leaseDurationMs?: number;
  /** A leader that could not renew for this long stops. Must be shorter than the lease. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Interval between two renewals, and between two attempts to acquire. Default 1.5 s. */
  readonly retryPeriodMs?: number;
  /** Runs while this process leads. Its signal aborts when the process stops or loses the lease. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  /** Ends the election: stops `lead`, waits for it, and releases the lease. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Sets leader_election_master_status. */
  readonly onChange?: (leading: boolean) => void;
}

interface State {
  readonly options: LeaderElectionOptions;
  readonly clock: Clock;
  readonly lock: LeaseLock;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /** Start of the last request that acquired or renewed the lease. Its response may have arrived much later. */
  renewedMs: number;
}

/** Makes one attempt within the time limit. Never throws. */
async function attempt(
  task: 'acquire' | 'renew' | 'release',
  state: State,
  limits: { readonly ms: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const { namespace, name, log } = state.options;
  const limit = new AbortController();
  function abort(): void {
    limit.abort();
  }
  const startedMs = state.clock.monotonicMs();
  using _timer = state.clock.after(limits.ms, abort);
  limits.signal.addEventListener('abort', abort);
  try {
    const succeeded = await state.lock[task](limit.signal);
    if (succeeded) state.renewedMs = startedMs;
    return succeeded;
  } catch (error) {
    if (!limits.signal.aborted)
      log.warn({ err: toError(error), lease: `${namespace}/${name}` }, 'a request for the lease failed');
    return false;
  } finally {
    limits.signal.removeEventListener('abort', abort);
  }
}

/** The retry period minus up to 20 % jitter, so that candidates do not synchronize; at once when the lease expires. */
function nextAttemptMs({ lock, retryPeriodMs }: State): number {
  const periodMs = retryPeriodMs * (1 - Math.random() / 5);
  const heldForMs = lock.heldForMs();
  return heldForMs > 0 ? Math.min(periodMs, heldForMs) : periodMs;
}

/** Resolves to true when this process holds the lease, to false if the signal aborts first. */
async function acquire(state: State): Promise<boolean> {
  const { signal } = state.options;
  if (signal.aborted) return false;
  do {
    if (await attempt('acquire', state, { ms: state.renewDeadlineMs, signal })) return true;
  } while (await pause(state.clock, nextAttemptMs(state), signal));
  return false;
}

function leftMs(state: State): number {
  return state.renewedMs + state.renewDeadlineMs - state.clock.monotonicMs();
}

/** Renews until `ended` aborts (true), another process holds the lease, or the deadline passes without a renewal (false). */
async function keepRenewing(state: State, ended: AbortSignal): Promise<boolean> {
  while (await pause(state.clock, Math.min(state.retryPeriodMs, Math.max(0, leftMs(state))), ended)) {
    const ms = leftMs(state);
    if (ms <= 0) return false;
    const renewed = await attempt('renew', state, { ms, signal: ended });
    if (!renewed && !state.lock.isOurs()) return false;
  }
  return true;
}

const RELEASE_TRIES = 3;

/** Lets another replica lead at once instead of after the lease duration. Best effort: the lease also expires. */
async function release(state: State): Promise<void> {
  const { signal } = new AbortController();
  for (let tries = 0; tries < RELEASE_TRIES; tries += 1) {
    if (await attempt('release', state, { ms: state.retryPeriodMs, signal })) return;
  }
}

/** The process must exit, because another replica may lead. */
export class LeadershipLost extends AppError {
  constructor(options: Pick<LeaderElectionOptions, 'namespace' | 'name'>) {
    super(
      `The lease ${options.namespace}/${options.name} was lost: it was not renewed in time, or another process holds it. This process must exit and restart`,
      { code: 'LeadershipLost', retryable: false },
    );
  }
}

async function leadWhileHeld(state: State): Promise<void> {
  const { options } = state;
  const stop = new AbortController();
  const ended = new AbortController();
  function onStop(): void {
    stop.abort(options.signal.reason);
  }
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
    // Renews the lease until `lead` has ended: no other replica may start while work is still running here.
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
}

async function leadAndRelease(state: State): Promise<void> {
  try {
    await leadWhileHeld(state);
  } catch (error) {
    if (!(error instanceof LeadershipLost)) await release(state);
    throw error;
  }
  await release(state);
}

/**
 * Waits for the lease, leads while holding it, and releases it when `lead` has ended after the stop signal. The rules are
 * client-go's, plus one attempt at the moment when the lease of a silent leader expires.
 * @throws LeadershipLost
 * @throws the error of `lead`, after the release.
 */
export async function runAsLeader(options: LeaderElectionOptions): Promise<void> {
  const clock = options.clock ?? systemClock;
  const leaseDurationMs = options.leaseDurationMs ?? 15_000;
  const state: State = {
    options,
    clock,
    lock: createLeaseLock({ ...options, leaseDurationMs, clock }),
    renewDeadlineMs: options.renewDeadlineMs ?? 10_000,
    retryPeriodMs: options.retryPeriodMs ?? 1_500,
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
}
