import type { Logger } from '#runtime/log.ts';
import { retry } from '#runtime/retry.ts';
import { type DownloadDeps, download } from './download.ts';
import { HostGates } from './host-gates.ts';
import { type SourceSettings, toDownloadLimits } from './settings.ts';
import { SourceError } from './source-error.ts';
import { describeFailure, sourceRetryPolicy } from './source-retry.ts';
import type { SourceSlot } from './source-slot.ts';

export interface FetchDeps {
  readonly download: DownloadDeps;
  readonly settings: SourceSettings;
  readonly log: Logger;
  /** The slot dropped its content. */
  readonly onRestart: (slot: SourceSlot) => void;
  readonly onRetry: (error: unknown) => void;
}

/** The dependencies that all downloads of a reader share. */
export const createDownloadDeps = ({
  agent,
  policy,
  settings,
  onUnreachable,
}: Pick<DownloadDeps, 'agent' | 'policy' | 'onUnreachable'> & Pick<FetchDeps, 'settings'>): DownloadDeps => ({
  agent,
  policy,
  onUnreachable,
  hosts: new HostGates({ connections: settings.sourcePerHostConnections }),
  userAgent: settings.sourceUserAgent,
  limits: toDownloadLimits(settings),
});

/** Fills one slot, with as many attempts as needed and allowed. */
class SourceFetch {
  readonly #slot: SourceSlot;
  readonly #signal: AbortSignal;
  readonly #deps: FetchDeps;
  /**
   * The largest number of bytes of any attempt. Only more bytes count as progress, so that a source that keeps changing
   * does not continue forever.
   */
  #furthest = 0;
  #resumes = 0;

  constructor(slot: SourceSlot, signal: AbortSignal, deps: FetchDeps) {
    this.#slot = slot;
    this.#signal = signal;
    this.#deps = deps;
  }

  async run(): Promise<void> {
    const { settings } = this.#deps;
    this.#restart();
    await retry(
      () => this.#try(),
      {
        ...sourceRetryPolicy(settings, () => this.#mayRepeat()),
        gotFurther: () => this.#gotFurther(),
        onRetry: (error, tries, delayMs) => this.#onRetry(error, tries, delayMs),
      },
      this.#signal,
    );
  }

  async #try(): Promise<void> {
    const slot = this.#slot;
    // Sources close connections that nobody reads. A retry before bytes are wanted would only be closed again.
    await slot.untilWanted();
    this.#signal.throwIfAborted();
    const { index, file, resumePoint } = slot;
    const { url, headers } = file;
    try {
      await download(
        { index, url, headers, sink: slot, signal: this.#signal, resume: resumePoint },
        this.#deps.download,
      );
    } catch (error) {
      if (error instanceof SourceError && error.voidsReceived) slot.voidReceived();
      throw error;
    }
  }

  /** Bytes that were passed on cannot be replaced, so only a continuation helps. */
  #mayRepeat(): boolean {
    const slot = this.#slot;
    return slot.state !== 'parked' && (!slot.handedOn || slot.resumePoint !== undefined);
  }

  #gotFurther(): boolean {
    const { received, resumePoint } = this.#slot;
    if (!resumePoint || received <= this.#furthest) return false;
    this.#furthest = received;
    this.#resumes += 1;
    return this.#resumes <= this.#deps.settings.sourceMaxResumes;
  }

  #onRetry(error: unknown, tries: number, delayMs: number): void {
    const { index, resumePoint } = this.#slot;
    const facts = {
      ...describeFailure(error),
      fileIndex: index,
      tries,
      delayMs,
      from: resumePoint?.from ?? 0,
    };
    this.#deps.log.warn(facts, 'retrying a source');
    this.#deps.onRetry(error);
    // Restarts immediately instead of after the wait, because the consumer must not receive bytes that will be
    // repeated.
    if (!resumePoint) this.#restart();
  }

  #restart(): void {
    this.#slot.reset();
    this.#deps.onRestart(this.#slot);
  }
}

/**
 * Downloads a source into its slot. A broken download resumes if the source confirms that its content is unchanged.
 * Otherwise it restarts, unless bytes were already passed on.
 * @throws SourceError, or the reason of the signal
 */
export const fetchSource = (slot: SourceSlot, signal: AbortSignal, deps: FetchDeps): Promise<void> =>
  new SourceFetch(slot, signal, deps).run();
