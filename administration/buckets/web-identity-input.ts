import type { WebIdentity } from '#crds/zip-bucket.ts';
import { defined } from '#runtime/collections/optional.ts';
import { redactUrl } from '#runtime/log/redact.ts';
import { invalidInput } from '../errors/administration-error.ts';

/** Unvalidated role of a bucket without stored keys. Empty fields count as not set. */
export interface WebIdentityInput {
  readonly roleArn: string;
  readonly audience: string;
  readonly stsRegion?: string;
  /** Base URL; replaces the AWS token service of `stsRegion`. */
  readonly stsEndpoint?: string;
  /** Lifetime of a session in seconds, 900 to 43200. */
  readonly durationSeconds?: string;
}

/** As in the definition of ZipBucket. The host of `stsEndpoint` is compared with a list of the operator, so it is in lowercase. */
const PATTERNS = {
  roleArn: /^arn:[a-z0-9-]+:iam:[a-z0-9-]*:[0-9]*:role\/[A-Za-z0-9+=,.@_/-]+$/,
  audience: /^[\x21-\x7e]{1,253}$/,
  stsRegion: /^[a-z]{2,4}(-[a-z]+)+-[0-9]+$/,
  stsEndpoint: /^https?:\/\/[a-z0-9.:[\]-]+\/?$/,
} as const;
const MAX_ROLE_ARN = 2048;
const MAX_STS_ENDPOINT = 253;
const MAX_STS_REGION = 32;
const SECONDS = { shortest: 900, longest: 43_200 } as const;

function readDuration(text: string): number | undefined {
  if (text === '') return undefined;
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds >= SECONDS.shortest && seconds <= SECONDS.longest) return seconds;
  throw invalidInput(
    'durationSeconds',
    `Invalid session duration "${text.slice(0, 40)}". Use ${SECONDS.shortest} to ${SECONDS.longest} seconds, as digits only`,
  );
}

function checkService(stsRegion: string, stsEndpoint: string): void {
  if (stsRegion === '' && stsEndpoint === '')
    throw invalidInput('stsRegion', 'Enter the region of the token service, or its endpoint');
  if (stsRegion !== '' && (!PATTERNS.stsRegion.test(stsRegion) || stsRegion.length > MAX_STS_REGION))
    throw invalidInput(
      'stsRegion',
      `Invalid region "${stsRegion.slice(0, 80)}" of the token service. Use a region such as eu-central-1`,
    );
  if (stsEndpoint === '') return;
  if (
    !PATTERNS.stsEndpoint.test(stsEndpoint) ||
    !URL.canParse(stsEndpoint) ||
    stsEndpoint.length > MAX_STS_ENDPOINT
  )
    throw invalidInput(
      'stsEndpoint',
      `Invalid endpoint "${redactUrl(stsEndpoint).slice(0, 80)}" of the token service. Use a lowercase URL such as https://minio.example.com, without path or query`,
    );
}

/** The role of a bucket. @throws AdministrationError InvalidInput */
export function checkWebIdentity({
  roleArn,
  audience,
  stsRegion = '',
  stsEndpoint = '',
  durationSeconds = '',
}: WebIdentityInput): WebIdentity {
  if (!PATTERNS.roleArn.test(roleArn) || roleArn.length > MAX_ROLE_ARN)
    throw invalidInput(
      'roleArn',
      `Invalid role ARN "${roleArn.slice(0, 80)}". Use an ARN such as arn:aws:iam::123456789012:role/reports`,
    );
  if (!PATTERNS.audience.test(audience))
    throw invalidInput(
      'audience',
      `Invalid audience "${audience.slice(0, 80)}". Use one that your administrator allows`,
    );
  checkService(stsRegion, stsEndpoint);
  return {
    roleArn,
    audience,
    ...defined({
      stsRegion: stsRegion === '' ? undefined : stsRegion,
      stsEndpoint: stsEndpoint === '' ? undefined : stsEndpoint,
      durationSeconds: readDuration(durationSeconds),
    }),
  };
}
