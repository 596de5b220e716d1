import { ConnectionLimit } from '../connection-limit.ts';
import { FileRecords } from './file-records.ts';
import type { OriginReport } from './origin-report.ts';
import { type ProbeLimits, ProbeSchedule, UNKNOWN_SHARE } from './probe-schedule.ts';
import { MOST_THROTTLED_MS, throttledTooLong } from './throttled-too-long.ts';
import type { ActiveTurn, Turn } from './turn.ts';

/** Details for the log, without the name of the origin. */
export interface ThrottleFacts {
  readonly fileIndex: number;
  readonly httpStatus: number;
  readonly waitMs: number;
}

export interface HostGateOptions {
  /** Maximum concurrent requests to one origin. */
  readonly connections: number;
  readonly probes: ProbeLimits;
  readonly now: () => number;
  /** An origin starts to throttle. */
  readonly onThrottled: (facts: ThrottleFacts) => void;
}

type Throttled = Extract<OriginReport, { readonly kind: 'throttled' }>;

interface Waiter {
  readonly index: number;
  readonly enter: () => void;
  readonly reject: (error: Error) => void;
}

/** An origin that throttles. Until a probe is not throttled, requests are sent one at a time. */
interface Closure {
  readonly since: number;
  readonly limitBefore: number;
  heldUntil: number;
  probe: ActiveTurn | undefined;
}

/** After this many of the shortest waits without an end of a request, an origin that refused some is tried with one more. */
const WAITS_BEFORE_TRIAL = 16;

/** Lets requests to one origin start, as many and as early as its responses and refusals allow. */
export class HostGate {
  readonly #options: HostGateOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #active = new Set<ActiveTurn>();
  /** Active turns that have responded, and those that wait for a decision. */
  #respondedTurns = 0;
  #undecidedTurns = 0;
  readonly #limit: ConnectionLimit;
  readonly #schedule: ProbeSchedule;
  readonly #files = new FileRecords();
  #responses = 0;
  #servedAt = Number.NEGATIVE_INFINITY;
  #closedAt = Number.NEGATIVE_INFINITY;
  #loweredAt = Number.NEGATIVE_INFINITY;
  #grownAt = Number.NEGATIVE_INFINITY;
  #closure: Closure | undefined;
  /** One request more than the limit. */
  #trial: ActiveTurn | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HostGateOptions) {
    this.#options = options;
    this.#limit = new ConnectionLimit(options.connections);
    this.#schedule = new ProbeSchedule(options.probes);
  }

  get limit(): number {
    return this.#limit.limit;
  }

  get countsConnections(): boolean {
    return this.#limit.countsConnections;
  }

  get isIdle(): boolean {
    return this.#active.size === 0 && this.#waiters.size === 0 && !this.#closure && this.#limit.isUnlimited;
  }

  /** How many requests under way must end before this many others can start; negative if there is room for more. */
  surplus(others: number): number {
    return this.#active.size + others - this.#limit.allowed;
  }

  /** From now on, at most this many requests are under way. */
  cap(connections: number): void {
    this.#limit.cap(connections);
  }

  /** Undefined if the file has to wait. */
  enterAtOnce(index: number): Turn | undefined {
    return this.#waiters.size === 0 && this.#isOpen() ? this.#start(index) : undefined;
  }

  async enter(index: number, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    const turn = this.enterAtOnce(index);
    if (turn) return turn;
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const waiter: Waiter = { index, enter: () => resolve(this.#start(index)), reject };
    const onAbort = (): void => {
      this.#waiters.delete(waiter);
      if (this.#waiters.size === 0) clearTimeout(this.#timer);
      reject(signal.reason);
    };
    this.#waiters.add(waiter);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#admit();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #isOpen(): boolean {
    const closure = this.#closure;
    if (closure) return closure.probe === undefined && this.#options.now() >= closure.heldUntil;
    return this.#active.size < this.#limit.allowed || this.#untilTrialMs() <= 0;
  }

  /**
   * A connection may break off for any reason. While the requests under way take long, no served request lets the limit grow, and
   * one large file could keep the origin at one connection. Infinity: nothing is tried.
   */
  #untilTrialMs(): number {
    const { allowed, isLowered, slowdown } = this.#limit;
    if (this.#trial || !isLowered || this.#active.size !== allowed) return Infinity;
    const since = Math.max(this.#loweredAt, this.#grownAt, this.#servedAt);
    return since + WAITS_BEFORE_TRIAL * this.#options.probes.leastMs * slowdown - this.#options.now();
  }

  #start(index: number): Turn {
    const turn: ActiveTurn = {
      index,
      startedAt: this.#options.now(),
      among: 1 + this.#respondedTurns,
      responsesBefore: this.#responses,
      hasResponded: false,
      isServed: false,
      isExcused: false,
      ownWaitMs: 0,
      fault: undefined,
      decide: undefined,
      responded: (report) => this.#responded(turn, report),
      refused: () => this.#refused(turn),
      leave: () => this.#leave(turn),
    };
    if (this.#closure) this.#closure.probe = turn;
    else if (this.#active.size >= this.#limit.allowed) this.#trial = turn;
    this.#active.add(turn);
    return turn;
  }

  #leave(turn: ActiveTurn): void {
    if (!this.#active.delete(turn)) return;
    this.#respondedTurns -= Number(turn.hasResponded);
    if (turn.isServed) this.#servedAt = this.#options.now();
    if (this.#closure?.probe === turn) this.#closure.probe = undefined;
    if (this.#trial === turn) this.#trial = undefined;
    // No request is left that could show that the origin is alive.
    if (this.#undecidedTurns === this.#active.size) this.#decide(false);
    this.#admit();
  }

  #responded(turn: ActiveTurn, report: OriginReport): void {
    turn.hasResponded = true;
    this.#respondedTurns += 1;
    this.#responses += 1;
    this.#countCarried(turn);
    if (report.kind === 'throttled') this.#throttled(turn, report);
    else if (this.#closure?.probe === turn) this.#open(turn);
    else if (this.#trial === turn) this.#accept();
    if (report.kind === 'served') {
      turn.isServed = true;
      this.#files.served(turn.index);
      this.#serve();
    }
    this.#decide(true);
    this.#admit();
  }

  /** Requests that started later were under way at the same time. */
  #countCarried(turn: ActiveTurn): void {
    if (turn.startedAt > this.#loweredAt) this.#limit.carried(turn.among);
    let isLater = false;
    for (const other of this.#active) {
      if (isLater && !other.hasResponded) other.among += 1;
      isLater ||= other === turn;
    }
  }

  #serve(): void {
    if (this.#limit.isAtRest) return;
    const { limit } = this.#limit;
    const isRoundOver = this.#active
      .values()
      .every(({ hasResponded, startedAt }) => hasResponded || startedAt > this.#grownAt);
    this.#limit.served(isRoundOver);
    if (this.#limit.limit > limit) this.#grownAt = this.#options.now();
  }

  #accept(): void {
    this.#trial = undefined;
    this.#limit.accepted();
    this.#files.accepted();
    this.#grownAt = this.#options.now();
  }

  #open(probe: ActiveTurn): void {
    this.#schedule.end(probe.startedAt);
    this.#closure = undefined;
    this.#files.forgetProbes();
    this.#limit.startRamp();
  }

  #throttled(turn: ActiveTurn, report: Throttled): void {
    turn.isExcused = true;
    const suspectMs = this.#files.throttled(turn.index, this.#options.now());
    if (suspectMs !== undefined) this.#waitAlone(turn, report, suspectMs);
    const closure = this.#closure;
    if (closure?.probe === turn) this.#probeFailed(closure, turn, report);
    // Several rejections of concurrent requests count once.
    else if (turn.startedAt <= this.#closedAt) this.#extend(report);
    else if (!closure && suspectMs === undefined) this.#close(turn, report);
  }

  /** The origin serves others, so these do not wait for the file. */
  #waitAlone(turn: ActiveTurn, { status, waitMs = 0 }: Throttled, suspectMs: number): void {
    turn.ownWaitMs = this.#schedule.bound(Math.max(waitMs, suspectMs * UNKNOWN_SHARE));
    if (suspectMs >= MOST_THROTTLED_MS)
      turn.fault = throttledTooLong('its host has served others, but throttled it', status);
  }

  #close({ index }: ActiveTurn, { status, waitMs }: Throttled): void {
    const now = this.#options.now();
    this.#schedule.start(now);
    const heldMs = this.#schedule.nextMs(now, waitMs);
    this.#closedAt = now;
    this.#closure = {
      since: now,
      limitBefore: this.#limit.limit,
      heldUntil: now + heldMs,
      probe: undefined,
    };
    this.#limit.halve(this.#active.size);
    this.#options.onThrottled({ fileIndex: index, httpStatus: status, waitMs: Math.round(heldMs) });
  }

  #extend({ waitMs = 0 }: Throttled): void {
    const closure = this.#closure;
    if (!closure || waitMs === 0) return;
    const now = this.#options.now();
    closure.heldUntil = Math.max(closure.heldUntil, now + this.#schedule.nextMs(now, waitMs));
  }

  #probeFailed(closure: Closure, probe: ActiveTurn, { status, waitMs }: Throttled): void {
    const now = this.#options.now();
    if (this.#files.probeFailed(probe.index)) probe.ownWaitMs = 0;
    // Throttled although it was the only one: the number of requests under way is not the reason.
    if (this.#active.size === 1) this.#limit.restore(closure.limitBefore);
    const isServing = this.#active.values().some(({ isServed }) => isServed);
    const isTooLong = !isServing && now - Math.max(closure.since, this.#servedAt) >= MOST_THROTTLED_MS;
    closure.heldUntil = now + (isTooLong ? 0 : this.#schedule.nextMs(now, waitMs));
    if (!isTooLong) return;
    // Each file that enters from now on is a probe, or fails with it.
    probe.fault = throttledTooLong('its host has throttled every request', status);
    for (const { reject } of this.#waiters) reject(probe.fault);
    this.#waiters.clear();
  }

  #refused(turn: ActiveTurn): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    turn.decide = (isAlive) => {
      turn.decide = undefined;
      this.#undecidedTurns -= 1;
      resolve(isAlive && this.#lower(turn));
      this.#leave(turn);
    };
    this.#undecidedTurns += 1;
    if (this.#responses > turn.responsesBefore || this.#respondedTurns > 0) turn.decide(true);
    else if (this.#undecidedTurns === this.#active.size) this.#decide(false);
    return promise;
  }

  #decide(isAlive: boolean): void {
    if (this.#undecidedTurns === 0) return;
    for (const { decide } of this.#active) decide?.(isAlive);
  }

  /** True if the request was one too many. */
  #lower(turn: ActiveTurn): boolean {
    const { isFirst, isReason } = this.#files.refused(turn.index);
    const isOneTooMany =
      this.#trial === turn
        ? !isReason
        : this.#limit.refused(this.#active.size, { isFirst, isNew: turn.startedAt > this.#loweredAt });
    if (!isOneTooMany) return false;
    if (this.#trial === turn) this.#limit.rejected();
    this.#loweredAt = this.#options.now();
    // The origin may not have noticed yet that another connection has ended.
    turn.ownWaitMs = this.#schedule.bound(0);
    return true;
  }

  #order(a: Waiter, b: Waiter): number {
    return (
      this.#trialOrder(a, b) || this.#files.rankOf(a.index) - this.#files.rankOf(b.index) || a.index - b.index
    );
  }

  /** One file whose requests are always refused would take every trial of the others. */
  #trialOrder(a: Waiter, b: Waiter): number {
    const isTrial = !this.#closure && this.#active.size >= this.#limit.allowed;
    return isTrial ? this.#files.refusalsOf(a.index) - this.#files.refusalsOf(b.index) : 0;
  }

  #admit(): void {
    clearTimeout(this.#timer);
    while (this.#waiters.size > 0 && this.#isOpen()) {
      const first = [...this.#waiters].reduce((best, waiter) =>
        this.#order(waiter, best) < 0 ? waiter : best,
      );
      this.#waiters.delete(first);
      first.enter();
    }
    const heldMs = this.#waiters.size > 0 ? this.#heldMs() : Infinity;
    // The time may have come since it was checked.
    if (heldMs < Infinity) this.#timer = setTimeout(() => this.#admit(), Math.max(0, heldMs));
  }

  /** Until another request may start, unless one ends before. */
  #heldMs(): number {
    const closure = this.#closure;
    if (!closure) return this.#untilTrialMs();
    return closure.probe ? Infinity : closure.heldUntil - this.#options.now();
  }
}
