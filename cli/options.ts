/** Options of commands about buckets, and those that other commands share with them. */
import { ON_CONFLICTS, SERVICES, SPEC_DEFAULTS } from '#crds/zip-job.ts';

const text = <const D extends string>(describe: D) =>
  ({ type: 'string', requiresArg: true, describe }) as const;

export const BUCKET = {
  type: 'string',
  demandOption: true,
  describe: 'Its name at the provider',
} as const;

export const CREDENTIALS = {
  'credentials-file': text(
    'File with accessKeyId and secretAccessKey, or - for standard input; else ZIPJOBS_ACCESS_KEY_ID and ZIPJOBS_SECRET_ACCESS_KEY, else a prompt',
  ),
} as const;

export const YES = { alias: 'y', type: 'boolean', describe: 'Do not ask' } as const;

export const TIMEOUT = (seconds: number) =>
  ({ type: 'number', default: seconds, requiresArg: true, describe: 'Seconds to wait at most' }) as const;

export const BUCKET_OPTIONS = {
  one: {
    service: {
      choices: SERVICES,
      default: SPEC_DEFAULTS.service,
      requiresArg: true,
      describe: 'Kind of the store',
    },
  },
  create: {
    region: text('s3: region of the bucket'),
    host: text('r2: <account id>.<domain>'),
    'account-id': text('r2: identifier of the account'),
    endpoint: text('Base URL of an S3-compatible store that the operator allows'),
    'storage-class': text('Storage class of archives'),
    'cache-control': text('Cache-Control of archives'),
    'content-disposition': text('Content-Disposition of archives'),
    acl: text('Canned ACL of archives'),
    'on-conflict': {
      choices: ON_CONFLICTS,
      requiresArg: true,
      describe: 'What becomes of an object that exists at the key',
    },
  },
  delete: {
    force: {
      type: 'boolean',
      default: false,
      describe: 'Delete it also while unfinished jobs use it: they fail',
    },
  },
} as const;
