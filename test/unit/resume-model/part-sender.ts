/** Sends parts of a text, a few at a time, and knows what the store has confirmed. */
import { createHash } from 'node:crypto';
import { toError } from '#runtime/errors.ts';
import { retry } from '#runtime/time/retry.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import type { UploadRef } from '#zipper-image/store/store.ts';
import { storeRetryPolicy } from '#zipper-image/store/store-retry.ts';
import { PART_UNITS } from './model-sources.ts';
import { type StoredPart, UNIT_BYTES } from './model-store.ts';
import { log, STORE_SETTINGS, type ZipperDeps } from './zipper-deps.ts';

const AT_ONCE = 3;

function partOf({ number, text, units }: Pick<StoredPart, 'number' | 'text' | 'units'>) {
  const body = [Buffer.from(text)];
  const md5 = createHash('md5').update(text).digest();
  return { number, bytes: units * UNIT_BYTES, body, digests: { kind: 'md5', md5 } as const };
}

export class PartSender {
  readonly confirmed = new Map<number, Part>();
  readonly #deps: ZipperDeps;
  readonly #upload: UploadRef;
  readonly #signal: AbortSignal;
  readonly #kept: ReadonlyMap<number, Part>;
  readonly #limit = new RetryLimit(STORE_SETTINGS.storeRetryLimitMs);
  readonly #active = new Set<Promise<void>>();
  #number = 1;
  #units: string[] = [];
  failure: Error | undefined;

  constructor(
    deps: ZipperDeps,
    upload: UploadRef,
    given: { readonly signal: AbortSignal; readonly kept: ReadonlyMap<number, Part> },
  ) {
    this.#deps = deps;
    this.#upload = upload;
    this.#signal = given.signal;
    this.#kept = given.kept;
    for (const [number, part] of given.kept) this.confirmed.set(number, part);
  }

  /** Confirmed parts by number. */
  get sorted(): readonly Part[] {
    return [...this.confirmed.values()].toSorted((one, other) => one.number - other.number);
  }

  /** Whether the next unit is in a part that is not made again. */
  get isKept(): boolean {
    return this.#kept.has(this.#number);
  }

  async add(unit: string): Promise<void> {
    this.#units.push(unit);
    if (this.#units.length === PART_UNITS) await this.#end();
  }

  async finish(): Promise<readonly Part[]> {
    if (this.#units.length > 0) await this.#end();
    await this.allSent();
    if (this.failure) throw this.failure;
    return this.sorted;
  }

  /** When no part is on the way any more. */
  async allSent(): Promise<void> {
    await Promise.all(this.#active);
  }

  async #end(): Promise<void> {
    const part = { number: this.#number, text: this.#units.join(''), units: this.#units.length };
    const isKept = this.isKept;
    this.#number += 1;
    this.#units = [];
    if (isKept) return;
    while (this.#active.size >= AT_ONCE) await Promise.race(this.#active);
    if (this.failure) throw this.failure;
    const sending = this.#send(part).catch((error: unknown) => {
      this.failure ??= toError(error);
    });
    const tracked: Promise<void> = sending.then(() => {
      this.#active.delete(tracked);
    });
    this.#active.add(tracked);
  }

  async #send(part: Pick<StoredPart, 'number' | 'text' | 'units'>): Promise<void> {
    const policy = storeRetryPolicy(STORE_SETTINGS, { log, limit: this.#limit });
    const send = () => this.#deps.store.uploadPart(this.#upload, partOf(part), this.#signal);
    this.confirmed.set(part.number, await retry(send, policy, this.#signal));
  }
}
