import { defined } from '#runtime/collections/optional.ts';
import { isDataUrl } from '#runtime/entries/data-url.ts';
import type { Logger } from '#runtime/log/log.ts';
import { retry } from '#runtime/time/retry.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { type DownloadDeps, download } from './download.ts';
import { HostGates } from './host-gates.ts';
import type { ReceivedPrefix } from './repeated-prefix.ts';
import { SOURCE_USER_AGENT, type SourceSettings, toDownloadLimits, toProbeLimits } from './settings.ts';
import { SourceError } from './source-error.ts';
import { describeFailure, sourceRetryPolicy } from './source-retry.ts';
import type { SourceSlot } from './source-slot.ts';
import { checksumFault, checksumsOf } from './stated.ts';
import { SMALL_ENTRY_BYTES } from './types.ts';

export interface FetchDeps {
  readonly download: DownloadDeps;
  readonly settings: SourceSettings;
  readonly log: Logger;
  /** Each source is requested exactly once, unless the request fails. */
  readonly sequential?: boolean;
  /** The slot dropped its content. */
  readonly onRestart: (slot: SourceSlot) => void;
  readonly onRetry: (error: unknown) => void;
  /** A file that is read must wait for a connection, while it holds up the archive. */
  readonly onQueued: (origin: string) => () => void;
  /** Bytes arrived again that the slot already has. */
  readonly onRepeated: (bytes: number) => void;
}

/** The dependencies that all downloads of a reader share. */
export function createDownloadDeps({
  agent,
  policy,
  settings,
  log,
  onUnreachable,
}: Pick<DownloadDeps, 'agent' | 'policy' | 'onUnreachable'> &
  Pick<FetchDeps, 'settings' | 'log'>): DownloadDeps {
  return {
    agent,
    policy,
    onUnreachable,
    hosts: new HostGates({
      connections: settings.sourcePerHostConnections,
      readers: settings.sourcePerHostReaders,
      probes: toProbeLimits(settings),
      onThrottled: (facts) =>
        log.warn(facts, 'the host of a source throttles; waiting before the next request to it'),
    }),
    userAgent: SOURCE_USER_AGENT,
    limits: toDownloadLimits(settings),
  };
}

/** Fills one slot, with as many attempts as needed, until there is no progress for too long. */
class SourceFetch {
  readonly #slot: SourceSlot;
  readonly #signal: AbortSignal;
  readonly #deps: FetchDeps;
  readonly #limit: RetryLimit;
  /**
   * The number of bytes at the last progress. Only more bytes count as progress, so that a source that keeps changing
   * does not continue forever.
   */
  #furthest = 0;
  #lastFailure: unknown;
  /** What the last response had instead of what is stated. */
  #mismatch: string | undefined;

  constructor(slot: SourceSlot, signal: AbortSignal, deps: FetchDeps) {
    this.#slot = slot;
    this.#signal = signal;
    this.#deps = deps;
    this.#limit = new RetryLimit(deps.settings.sourceRetryLimitMs);
  }

  async run(): Promise<void> {
    const { settings } = this.#deps;
    this.#restart();
    await retry(
      () => this.#try(),
      {
        ...sourceRetryPolicy(settings, this.#limit, () => this.#mayRepeat()),
        gotFurther: () => this.#gotFurther(),
        onRetry: (error, tries, delayMs) => this.#onRetry(error, tries, delayMs),
      },
      this.#signal,
    );
  }

  async #try(): Promise<void> {
    const slot = this.#slot;
    // Sources close connections that nobody reads. A retry before bytes are wanted would only be closed again.
    await this.#limit.excluding(slot.untilWanted());
    this.#signal.throwIfAborted();
    // Others read the rest meanwhile, so this download must not continue with the bytes of another version.
    if (slot.isReplaceable) throw this.#lastFailure;
    const { onRepeated } = this.#deps;
    const request = {
      ...slot.file,
      index: slot.index,
      sink: slot,
      signal: this.#signal,
      limit: this.#limit,
      resume: slot.resumePoint,
      prefix: this.#prefix,
      onRepeated,
      onQueued: slot.handedOn ? this.#deps.onQueued : undefined,
    };
    try {
      await download(request, this.#deps.download);
      this.#assertChecksums();
    } catch (error) {
      if (error instanceof SourceError && error.voidsReceived) slot.voidReceived();
      if (error instanceof SourceError && error.refutesReceived) slot.refuteReceived();
      throw this.#unlessRepeated(error);
    }
  }

  /** A small body is checked before it is passed on, so that it can be left out. Others are checked when they are written. */
  #assertChecksums(): void {
    const slot = this.#slot;
    const { stated } = slot;
    if ((stated.sha256 ?? stated.crc32) === undefined || slot.received > SMALL_ENTRY_BYTES) return;
    const fault = checksumFault(stated, checksumsOf(stated, slot.peek()));
    if (fault) throw new SourceError(slot, fault);
  }

  /** The same mismatch twice is not by chance. Nor does a URL that may work only once get another request. */
  #unlessRepeated(error: unknown): unknown {
    if (!(error instanceof SourceError) || error.code !== 'SourceMismatch') return error;
    const isLast =
      error.message === this.#mismatch || this.#deps.sequential === true || isDataUrl(this.#slot.file.url);
    this.#mismatch = error.message;
    return isLast ? error.asPermanent() : error;
  }

  get #prefix(): ReceivedPrefix | undefined {
    return this.#deps.sequential === true ? undefined : this.#slot.prefix;
  }

  /** Whether the next attempt can continue after the received bytes. */
  get #continues(): boolean {
    return this.#slot.resumePoint !== undefined || this.#prefix !== undefined;
  }

  /** Bytes that were passed on cannot be replaced, so only a continuation helps. */
  #mayRepeat(): boolean {
    const slot = this.#slot;
    return slot.state !== 'parked' && !slot.isReplaceable && (!slot.handedOn || this.#continues);
  }

  #gotFurther(): boolean {
    const { received } = this.#slot;
    const gained = received - this.#furthest;
    // A source that sends a few bytes for each request is as slow as one that sends them within one.
    const least = (this.#deps.settings.sourceMinRateBytes * this.#limit.elapsedMs) / 1000;
    if (!this.#continues || gained <= 0 || gained < least) return false;
    this.#furthest = received;
    return true;
  }

  #onRetry(error: unknown, tries: number, delayMs: number): void {
    const { index, resumePoint } = this.#slot;
    const facts = {
      ...describeFailure(error),
      fileIndex: index,
      tries,
      delayMs,
      from: resumePoint?.from ?? 0,
      ...defined({ repeats: resumePoint ? undefined : this.#prefix?.bytes }),
    };
    this.#lastFailure = error;
    this.#deps.log.warn(facts, 'retrying a source');
    this.#deps.onRetry(error);
    // Restarts immediately instead of after the wait, because the consumer must not receive bytes that will be
    // repeated.
    if (!this.#continues) this.#restart();
  }

  #restart(): void {
    this.#slot.reset();
    this.#deps.onRestart(this.#slot);
  }
}

/**
 * Downloads a source into its slot. A broken download resumes if the source confirms that its content is unchanged. If it
 * cannot, it restarts; if bytes were already passed on, the restart must repeat them.
 * @throws SourceError, or the reason of the signal
 */
export function fetchSource(slot: SourceSlot, signal: AbortSignal, deps: FetchDeps): Promise<void> {
  return new SourceFetch(slot, signal, deps).run();
}
