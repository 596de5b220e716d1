import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A code sample for callers. */
export interface Sample {
  readonly language: string;
  readonly file: string;
  readonly text: string;
}

export interface Samples {
  /** Creates a zip with an Idempotency-Key and polls until it finishes. */
  readonly makeArchive: readonly Sample[];
  readonly verifyWebhook: readonly Sample[];
  /** Servers that receive webhooks. */
  readonly receiveWebhook: readonly Sample[];
}

const DIRECTORY = join(import.meta.dirname, 'samples');

const sample = (language: string, file: string): Sample => ({
  language,
  file,
  text: readFileSync(join(DIRECTORY, file), 'utf8'),
});

export const readSamples = (): Samples => ({
  makeArchive: [
    sample('curl', 'make-archive.sh'),
    sample('TypeScript', 'make-archive.ts'),
    sample('Python', 'make_archive.py'),
    sample('Go', 'make-archive.go'),
  ],
  verifyWebhook: [
    sample('Shell with openssl', 'verify-webhook.sh'),
    sample('TypeScript', 'verify-webhook.ts'),
    sample('Python', 'verify_webhook.py'),
    sample('Go', 'verify-webhook.go'),
  ],
  receiveWebhook: [
    sample('Express', 'receive-webhook-express.mjs'),
    sample('Koa', 'receive-webhook-koa.mjs'),
    sample('FastAPI', 'receive_webhook_fastapi.py'),
    sample('Go net/http', 'receive-webhook.go'),
  ],
});
