import { join } from 'node:path';
import { readSample, readVerifySamples, type Sample } from '#runtime/samples/read-sample.ts';

export interface Samples {
  /** Creates a zip with an Idempotency-Key and polls until it finishes. */
  readonly makeArchive: readonly Sample[];
  readonly verifyWebhook: readonly Sample[];
  /** Servers that receive webhooks. */
  readonly receiveWebhook: readonly Sample[];
}

const DIRECTORY = join(import.meta.dirname, 'samples');

export function readSamples(): Samples {
  return {
    makeArchive: [
      readSample(DIRECTORY, 'curl', 'make-archive.sh'),
      readSample(DIRECTORY, 'TypeScript', 'make-archive.ts'),
      readSample(DIRECTORY, 'Python', 'make_archive.py'),
      readSample(DIRECTORY, 'Go', 'make-archive.go'),
    ],
    verifyWebhook: readVerifySamples(),
    receiveWebhook: [
      readSample(DIRECTORY, 'Express', 'receive-webhook-express.mjs'),
      readSample(DIRECTORY, 'Koa', 'receive-webhook-koa.mjs'),
      readSample(DIRECTORY, 'FastAPI', 'receive_webhook_fastapi.py'),
      readSample(DIRECTORY, 'Go net/http', 'receive-webhook.go'),
    ],
  };
}
