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
  /** What the slot held is forgotten. */
  readonly onRestart: (slot: SourceSlot) => void;
  readonly onRetry: () => void;
}

/** What all downloads of one reader share. */
export const createDownloadDeps = ({
  agent,
  policy,
  settings,
}: Pick<DownloadDeps, 'agent' | 'policy'> & Pick<FetchDeps, 'settings'>): DownloadDeps => ({
  agent,
  policy,
  hosts: new HostGates({ connections: settings.sourcePerHostConnections }),
  userAgent: settings.sourceUserAgent,
  limits: toDownloadLimits(settings),
});

/** Fills one slot, with as many tries as it takes and is allowed. */
class SourceFetch {
  readonly #slot: SourceSlot;
  readonly #signal: AbortSignal;
  readonly #deps: FetchDeps;
  /** The furthest that any try came: only what passes it is progress, else a source that keeps changing never ends. */
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
    // Sources cut connections that nobody reads; asking again before bytes are wanted would only be cut again.
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

  /** Bytes that were handed on cannot be taken back: then only what continues them helps. */
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
    this.#deps.onRetry();
    // At once, not after the wait: meanwhile the consumer must not be given bytes that will come again.
    if (!resumePoint) this.#restart();
  }

  #restart(): void {
    this.#slot.reset();
    this.#deps.onRestart(this.#slot);
  }
}

/**
 * Downloads a source into its slot. A download that breaks off goes on where it ended if the source can prove that the rest
 * belongs to the same bytes; otherwise it begins anew, as long as nothing of it was handed on.
 * @throws SourceError, or the signal's reason.
 */
export const fetchSource = (slot: SourceSlot, signal: AbortSignal, deps: FetchDeps): Promise<void> =>
  new SourceFetch(slot, signal, deps).run();
