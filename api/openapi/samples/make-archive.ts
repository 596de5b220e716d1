/**
 * Creates an archive and waits until it is finished: node make-archive.ts request.json
 * Set ZIPJOBS_URL to the address of the service and ZIPJOBS_TOKEN to an access token of the project.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

interface Zip {
  readonly data: {
    readonly uuid: string;
    readonly status: 'none' | 'processing' | 'succeeded' | 'failed';
    readonly metadata: Readonly<Record<string, unknown>>;
  };
}

const { ZIPJOBS_URL = '', ZIPJOBS_TOKEN = '' } = process.env;
const RETRIABLE = [408, 429, 500, 502, 503, 504];
const TRIES = 5;

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer<ArrayBuffer>;
}

/** Sends a request and retries it if that may help. The Idempotency-Key makes retries of a POST safe. */
async function send(path: string, ask: Ask = {}): Promise<Zip> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(`${ZIPJOBS_URL}${path}`, {
      ...ask,
      headers: { ...ask.headers, authorization: `Bearer ${ZIPJOBS_TOKEN}` },
      signal: AbortSignal.timeout(30_000),
    }).catch((error: unknown) => {
      if (tries === TRIES) throw error;
    });
    if (response?.ok) return (await response.json()) as Zip;
    if (response && (tries === TRIES || !RETRIABLE.includes(response.status)))
      throw new Error(`${response.status}: ${await response.text()}`);
    await delay(Number(response?.headers.get('retry-after') ?? 2) * 1000);
  }
}

const body = await readFile(process.argv[2] ?? 'request.json');
// Store the key until you have the response. A retry with the same key and body never creates a second job.
const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
const created = await send('/v1/zips', { method: 'POST', headers, body });

let zip = created;
while (zip.data.status === 'none' || zip.data.status === 'processing') {
  await delay(1_000);
  zip = await send(`/v1/zips/${created.data.uuid}?expand=archive,error`);
}

console.log(JSON.stringify(zip));
process.exitCode = zip.data.status === 'succeeded' ? 0 : 1;
