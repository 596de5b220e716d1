import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { generatedBytes } from '../builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from './file-origin.ts';
import type { OriginRoute } from './origin-request.ts';

/** A source that sends its first part immediately and the rest when the test releases it. */
export interface HeldFile {
  readonly url: string;
  readonly release: () => void;
}

export interface HeldFileOptions {
  /** Bytes sent immediately; more than the smallest part of an upload by default. */
  readonly firstBytes?: number;
  /** Sends a few bytes at intervals while held, so that the zipper does not treat the source as stalled. */
  readonly isDripping: boolean;
}

export interface HoldingOrigin extends FileOrigin {
  /** Adds a source that a test holds. */
  hold(options: HeldFileOptions): HeldFile;
}

const FIRST_BYTES = 6_000_000;
const DRIP_BYTES = 4096;
const DRIP_INTERVAL_MS = 250;
/** Delayed until the release: a drip of four minutes, and one byte. */
const HELD_BYTES = 960 * DRIP_BYTES + 1;

function heldRoute(
  { firstBytes = FIRST_BYTES, isDripping }: HeldFileOptions,
  released: AbortSignal,
): OriginRoute {
  return async ({ signal }, response) => {
    const bytes = generatedBytes(firstBytes + HELD_BYTES, 1);
    const over = AbortSignal.any([signal, released]);
    let sent = firstBytes;
    response.writeHead(200, { 'content-length': String(bytes.length) });
    response.write(bytes.subarray(0, sent));
    while (isDripping && !over.aborted && sent + DRIP_BYTES < bytes.length) {
      response.write(bytes.subarray(sent, sent + DRIP_BYTES));
      sent += DRIP_BYTES;
      await delay(DRIP_INTERVAL_MS, undefined, { signal: over }).catch(() => undefined);
    }
    if (!over.aborted) await once(over, 'abort');
    response.end(bytes.subarray(sent));
  };
}

/** Starts an origin with sources that a test holds. */
export async function startHoldingOrigin(): Promise<HoldingOrigin> {
  const routes: Record<string, OriginRoute> = {};
  const origin = await startFileOrigin({ routes });
  return Object.assign(origin, {
    hold: (options: HeldFileOptions): HeldFile => {
      const path = `/held-${randomUUID()}`;
      const released = new AbortController();
      routes[path] = heldRoute(options, released.signal);
      return { url: origin.url(path), release: () => released.abort() };
    },
  });
}
