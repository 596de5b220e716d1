/** Options of the bucket commands, and options that several command groups share. */
import { DEFAULT_ENDPOINT, MAX_ENDPOINTS } from '#crds/webhook-endpoints.ts';
import { ENCRYPTIONS } from '#crds/zip-bucket.ts';
import { ON_CONFLICTS, SERVICES, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import { timeoutMs } from './duration.ts';

function text<const D extends string>(describe: D) {
  return { type: 'string', requiresArg: true, describe } as const;
}

export const BUCKET = {
  type: 'string',
  demandOption: true,
  describe: 'Name of the bucket at the provider',
} as const;

export const CREDENTIALS = {
  'credentials-file': text(
    'File with accessKeyId and secretAccessKey, or - for standard input; default: ZIPJOBS_ACCESS_KEY_ID and ZIPJOBS_SECRET_ACCESS_KEY, then a prompt',
  ),
  profile: text('Profile of the credentials file, if it has several; default: default'),
} as const;

export const DASHBOARD = text(
  'URL of the dashboard, which has the history of finished jobs and refused requests; default: ZIPJOBS_DASHBOARD_URL. Your Kubernetes token is sent to it',
);

export const SYSTEM_NAMESPACE = {
  'system-namespace': text('Namespace of the release; default: searched in all namespaces'),
} as const;

export const ENDPOINT = {
  ...text(`Name of the webhook endpoint; a project has up to ${MAX_ENDPOINTS}`),
  default: DEFAULT_ENDPOINT,
} as const;

export const YES = { alias: 'y', type: 'boolean', describe: 'Skip the confirmation' } as const;

/** Becomes a number of milliseconds. */
export function TIMEOUT(duration: string) {
  return {
    type: 'string',
    default: duration,
    requiresArg: true,
    describe: 'Maximum time to wait, such as 90s, 2m or 1h; a number without a unit is in seconds',
    coerce: timeoutMs,
  } as const;
}

const BUCKET_SETTINGS = {
  region: text('s3: region of the bucket'),
  host: text('r2: <account id>.<domain>'),
  'account-id': text('r2: account ID'),
  endpoint: text('Base URL of an S3-compatible store; your administrator must allow it (store.allowedHosts)'),
  'ca-file': text(
    'File with certificate authorities (PEM) that are trusted for this store only, in addition to the public ones',
  ),
  'storage-class': text('Storage class of archives'),
  'cache-control': text('Cache-Control of archives'),
  'content-disposition': text('Content-Disposition of archives'),
  acl: text('Canned ACL of archives; R2 supports none'),
  'server-side-encryption': {
    choices: ENCRYPTIONS,
    requiresArg: true,
    describe: 'Encryption of archives: AES256 (SSE-S3) or aws:kms (SSE-KMS); R2 supports neither',
  },
  'kms-key-id': text('ID, ARN or alias of the KMS key, for aws:kms'),
  'bucket-key-enabled': { type: 'boolean', describe: 'Use a bucket key of S3, for aws:kms' },
  metadata: text('User metadata of archives, such as team=sales,stage=live; values cannot contain commas'),
  tags: text('Tags of archives, such as team=sales,stage=live; R2 supports none'),
  'on-conflict': {
    choices: ON_CONFLICTS,
    requiresArg: true,
    describe: 'What to do when the key already exists',
  },
  readable: {
    type: 'boolean',
    describe:
      'Let jobs read files from the bucket (s3://BUCKET/KEY or r2://BUCKET/KEY). Needs the verb read-sources, which the role admin has',
  },
} as const;

function removable<const O extends { readonly describe: string }>(option: O) {
  return {
    ...option,
    describe: `${option.describe}; '' removes it`,
  };
}

/** '' removes a setting. */
const CHANGED_SETTINGS = {
  region: BUCKET_SETTINGS.region,
  host: BUCKET_SETTINGS.host,
  'account-id': BUCKET_SETTINGS['account-id'],
  endpoint: removable(BUCKET_SETTINGS.endpoint),
  'ca-file': removable(BUCKET_SETTINGS['ca-file']),
  'storage-class': removable(BUCKET_SETTINGS['storage-class']),
  'cache-control': removable(BUCKET_SETTINGS['cache-control']),
  'content-disposition': removable(BUCKET_SETTINGS['content-disposition']),
  acl: removable(BUCKET_SETTINGS.acl),
  'server-side-encryption': removable({
    ...BUCKET_SETTINGS['server-side-encryption'],
    choices: [...ENCRYPTIONS, ''],
  }),
  'kms-key-id': removable(BUCKET_SETTINGS['kms-key-id']),
  'bucket-key-enabled': removable({
    choices: ['true', 'false', ''],
    requiresArg: true,
    describe: BUCKET_SETTINGS['bucket-key-enabled'].describe,
  }),
  metadata: removable(BUCKET_SETTINGS.metadata),
  tags: removable(BUCKET_SETTINGS.tags),
  'on-conflict': removable({ ...BUCKET_SETTINGS['on-conflict'], choices: [...ON_CONFLICTS, ''] }),
  readable: BUCKET_SETTINGS.readable,
} as const satisfies Record<keyof typeof BUCKET_SETTINGS, unknown>;

export const BUCKET_OPTIONS = {
  one: {
    service: {
      choices: SERVICES,
      default: SPEC_DEFAULTS.service,
      requiresArg: true,
      describe: 'Storage service',
    },
  },
  create: BUCKET_SETTINGS,
  update: CHANGED_SETTINGS,
  delete: {
    force: {
      type: 'boolean',
      default: false,
      describe: 'Delete even if unfinished jobs use the bucket; these jobs fail',
    },
  },
} as const;
