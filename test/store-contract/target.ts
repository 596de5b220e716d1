import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError } from '#runtime/errors.ts';
import { LOCAL_STORES, type LocalStore } from './local-stores.ts';
import type { Target } from './world.ts';

const USAGE = `npm run store-contract -- --endpoint URL --bucket NAME
npm run store-contract -- --local STORE
  --endpoint URL         of the store, such as https://s3.eu-central-1.amazonaws.com
  --bucket NAME          a bucket for tests. Objects below zipjobs-store-contract-* are created and deleted in it
  --region NAME          default: AWS_REGION, or us-east-1
  --access-key-id ID     default: AWS_ACCESS_KEY_ID
  --secret-access-key K  default: AWS_SECRET_ACCESS_KEY, which other users of the machine cannot see
  --ca FILE              PEM of the private authority of the store
  --local STORE          starts ${Object.keys(LOCAL_STORES).join(', ')} on this machine instead
  --json FILE            writes the results to a file
Temporary credentials need AWS_SESSION_TOKEN too.`;

const OPTIONS = {
  endpoint: { type: 'string' },
  bucket: { type: 'string' },
  region: { type: 'string' },
  'access-key-id': { type: 'string' },
  'secret-access-key': { type: 'string' },
  ca: { type: 'string' },
  local: { type: 'string' },
  json: { type: 'string' },
} as const;

export interface Command {
  readonly store: { readonly target: Target } | { readonly local: LocalStore };
  /** Where the results are written. */
  readonly json: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

function needed(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new ConfigError(`${what} is missing.\n${USAGE}`);
  return value;
}

function endpointOf(text: string): string {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.origin;
  throw new ConfigError(`--endpoint ${JSON.stringify(text)} is not an http or https URL.`);
}

function localOf(name: string): LocalStore {
  const found = Object.entries(LOCAL_STORES).find(([one]) => one === name);
  if (found) return found[1];
  throw new ConfigError(`--local ${name}: unknown store. Known: ${Object.keys(LOCAL_STORES).join(', ')}.`);
}

/** @throws ConfigError if something is missing or unknown */
export function readCommand(args: readonly string[], env: Env): Command {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const { json, local, ca } = values;
  if (local !== undefined) return { store: { local: localOf(local) }, json };
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const target = {
    endpoint: endpointOf(needed(values.endpoint, '--endpoint')),
    bucket: needed(values.bucket, '--bucket'),
    region: values.region ?? env['AWS_REGION'] ?? 'us-east-1',
    accessKeyId: needed(values['access-key-id'] ?? env['AWS_ACCESS_KEY_ID'], 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: needed(
      values['secret-access-key'] ?? env['AWS_SECRET_ACCESS_KEY'],
      'AWS_SECRET_ACCESS_KEY',
    ),
    ...(sessionToken && { sessionToken }),
    ...(ca !== undefined && { authority: readFileSync(ca, 'utf8') }),
  };
  return { store: { target }, json };
}
