import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A code sample, in a file that tests run. */
export interface Sample {
  readonly language: string;
  /** Name of the file. */
  readonly file: string;
  readonly path: string;
  readonly text: string;
}

/** @throws Error if the file does not exist */
export function readSample(directory: string, language: string, file: string): Sample {
  const path = join(directory, file);
  return { language, file, path, text: readFileSync(path, 'utf8') };
}

/** Verify the signature of a webhook. The docs page of the API and the dashboard show them. */
export function readVerifySamples(): readonly Sample[] {
  return [
    readSample(import.meta.dirname, 'Shell with openssl', 'verify-webhook.sh'),
    readSample(import.meta.dirname, 'TypeScript', 'verify-webhook.ts'),
    readSample(import.meta.dirname, 'Python', 'verify_webhook.py'),
    readSample(import.meta.dirname, 'Go', 'verify-webhook.go'),
  ];
}
