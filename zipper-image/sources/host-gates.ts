import { HostGate, type HostGateOptions } from './host-gate.ts';
import type { Turn } from './turn.ts';

export type HostGatesOptions = Omit<HostGateOptions, 'now'> & {
  /** Maximum concurrent requests to an origin of which a large file is read by ranges. Default: `connections`. */
  readonly readers?: number;
  /** Default performance.now. */
  readonly now?: () => number;
};

/** The gates of all origins. */
export class HostGates {
  readonly #options: HostGateOptions;
  readonly #readers: number;
  readonly #gates = new Map<string, HostGate>();

  constructor({ readers, ...options }: HostGatesOptions) {
    this.#options = { now: () => performance.now(), ...options };
    this.#readers = readers ?? options.connections;
  }

  /** True if not one connection more than requests may be open: the origin has refused some, or gets fewer than others. */
  countsConnections(origin: string): boolean {
    return this.#gates.get(origin)?.countsConnections ?? false;
  }

  /** The current limit of concurrent requests to the origin. */
  limitOf(origin: string): number {
    return this.#gates.get(origin)?.limit ?? this.#options.connections;
  }

  /** How many requests to the origin must end before this many others can start; negative if there is room for more. */
  surplusOf(origin: string, others: number): number {
    return this.#gates.get(origin)?.surplus(others) ?? 0;
  }

  /** A large file is read from several places at a time, so the origin gets fewer connections than for many small files. */
  capReaders(origin: string): void {
    this.#gateOf(origin).cap(this.#readers);
  }

  /** Undefined if the file has to wait. */
  enterAtOnce(origin: string, index: number): Turn | undefined {
    return this.#gateOf(origin).enterAtOnce(index);
  }

  /**
   * Waits until the origin may be requested. The earliest file of the list comes first. Rejects with the reason of the signal, or
   * with a SourceFaultError if the origin has throttled every request for ten minutes.
   */
  enter(origin: string, index: number, signal: AbortSignal): Promise<Turn> {
    return this.#gateOf(origin).enter(index, signal);
  }

  #gateOf(origin: string): HostGate {
    const known = this.#gates.get(origin);
    if (known) return known;
    if (this.#gates.size >= MOST_GATES) this.#forgetIdle();
    const gate = new HostGate(this.#options);
    this.#gates.set(origin, gate);
    return gate;
  }

  #forgetIdle(): void {
    for (const [origin, gate] of this.#gates) if (gate.isIdle) this.#gates.delete(origin);
  }
}

/** Limits the memory, because each file may have its own origin. */
const MOST_GATES = 1024;
