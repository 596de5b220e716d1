import { bucketSecretName, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';

/** What users enter, by the ID of the input; a boolean for a box. */
export type Input = Readonly<Record<string, string | boolean>>;

/** A stored value that a form changes. */
export interface StoredPart {
  readonly object: string;
  /** JSON pointer. */
  readonly part: string;
  readonly before: unknown;
  /** After the first of two users has saved. */
  readonly first: unknown;
  /** After the second has compared the values and has saved too. */
  readonly second: unknown;
}

/**
 * A form that changes an object that exists, and two users of it. Both change the same field. If there are more, each also changes
 * one that the other leaves alone.
 */
export interface EditingForm {
  readonly what: string;
  /** Of the POST. */
  readonly route: string;
  /** Of the path. */
  readonly bucket?: string;
  readonly endpoint?: string;
  readonly first: Input;
  readonly second: Input;
  /** What the second user sees, by the ID of the field. */
  readonly says: Readonly<Record<string, string>>;
  /** Entered again after the conflict, because a page never repeats a secret. */
  readonly secrets?: true;
  readonly stored: readonly StoredPart[];
}

const BUCKETS = '/projects/:project/buckets/:service/:bucket';
const SETTINGS = '/projects/:project/settings';
const ENDPOINT = '/projects/:project/webhook/endpoints/:endpoint';

/** Buckets of Amazon S3, one with keys and one with a role. */
export const KEYS_BUCKET = 'two-users-keys';
export const ROLE_BUCKET = 'two-users-role';

function ofProject(part: string, [before, first, second]: readonly [unknown, unknown, unknown]): StoredPart {
  return {
    object: `zipproject/${PROJECT_NAME}`,
    part: `/spec/${part}`,
    before,
    first,
    second,
  };
}

function ofSecret(name: string, key: string, texts: readonly [string, string, string]): StoredPart {
  const [before, first, second] = texts.map((text) => btoa(text));
  return { object: `secret/${name}`, part: `/data/${key}`, before, first, second };
}

const ARN = 'arn:aws:iam::123456789012:role/';
export const ROLE = {
  roleArn: `${ARN}before`,
  audience: 'sts.min.io',
  stsEndpoint: 'https://127.0.0.1:9000',
} as const;

function endpointsWith(events: readonly string[]) {
  return [{ name: 'audit', url: 'https://audit.example/', events, enabled: true }];
}

const OF_PROJECT: readonly EditingForm[] = [
  {
    what: 'the display name',
    route: `${SETTINGS}/general`,
    first: { displayName: 'Sales' },
    second: { displayName: 'Finance' },
    says: { displayName: 'Display name is now: Sales' },
    stored: [ofProject('displayName', ['Team', 'Sales', 'Finance'])],
  },
  {
    what: 'limits',
    route: `${SETTINGS}/limits`,
    first: { activeJobs: '7', storedJobs: '70' },
    second: { activeJobs: '5', filesPerJob: '500' },
    says: { activeJobs: 'Active jobs is now: 7', storedJobs: 'Stored jobs is now: 70' },
    stored: [
      ofProject('limits', [
        { activeJobs: 9 },
        { activeJobs: 7, storedJobs: 70 },
        { activeJobs: 5, storedJobs: 70, filesPerJob: 500 },
      ]),
    ],
  },
  {
    what: 'job defaults',
    route: `${SETTINGS}/job-defaults`,
    first: { maxAttempts: '3', tags: 'team=sales' },
    second: { maxAttempts: '4', cacheControl: 'no-store' },
    says: { maxAttempts: 'Attempts is now: 3', tags: 'Tags of archives is now: team=sales' },
    stored: [
      ofProject('jobDefaults', [
        { maxAttempts: 5 },
        { maxAttempts: 3, objectOptions: { tags: { team: 'sales' } } },
        { maxAttempts: 4, objectOptions: { tags: { team: 'sales' }, cacheControl: 'no-store' } },
      ]),
    ],
  },
  {
    what: 'caller options',
    route: `${SETTINGS}/caller-options`,
    first: { 'open-compression': false },
    second: { 'open-sha256': false },
    says: { open: 'Callers may change is now: ' },
    stored: [
      ofProject('callerOptions', [
        { closed: ['manifest'] },
        { closed: ['manifest', 'compression'] },
        { closed: ['manifest', 'sha256'] },
      ]),
    ],
  },
  {
    what: 'the retention of the history',
    route: `${SETTINGS}/retention`,
    first: { historyRetentionDays: '30', confirm: true },
    second: { historyRetentionDays: '20', confirm: true },
    says: { historyRetentionDays: 'Days to keep finished jobs in the history is now: 30' },
    stored: [ofProject('historyRetentionDays', [90, 30, 20])],
  },
  {
    what: 'the webhook',
    route: '/projects/:project/webhook',
    first: { 'events-COMPLETED': false },
    second: { 'events-FAILED': false, url: 'https://new.example/T2' },
    says: { events: 'Events is now: Job failed (FAILED)', url: 'The URL may have changed too' },
    stored: [
      ofProject('webhook/events', [['COMPLETED', 'FAILED'], ['FAILED'], ['COMPLETED']]),
      ofSecret(WEBHOOK_SECRET_NAME, 'url', [
        'https://old.example/',
        'https://old.example/',
        'https://new.example/T2',
      ]),
    ],
  },
  {
    what: 'the URL or the events of the webhook',
    route: '/projects/:project/webhook',
    first: { 'events-COMPLETED': false },
    second: { url: 'https://new.example/T2' },
    says: { events: 'Events is now: Job failed (FAILED)' },
    stored: [
      ofProject('webhook/events', [['COMPLETED', 'FAILED'], ['FAILED'], ['FAILED']]),
      ofSecret(WEBHOOK_SECRET_NAME, 'url', [
        'https://old.example/',
        'https://old.example/',
        'https://new.example/T2',
      ]),
    ],
  },
  {
    what: 'an endpoint of the webhook',
    route: ENDPOINT,
    endpoint: 'audit',
    first: { 'events-COMPLETED': false },
    second: { 'events-FAILED': false },
    says: { events: 'Events is now: Job failed (FAILED)', url: 'The URL may have changed too' },
    stored: [
      ofProject('webhook/endpoints', [
        endpointsWith(['COMPLETED', 'FAILED']),
        endpointsWith(['FAILED']),
        endpointsWith(['COMPLETED']),
      ]),
      // Otherwise saving creates it, and shows it instead of the page.
      ofSecret(WEBHOOK_SECRET_NAME, 'audit.current', ['secret', 'secret', 'secret']),
    ],
  },
];

function ofBucket(name: string, part: string, [before, first, second]: readonly object[]): StoredPart {
  return {
    object: `zipbucket/s3-${name}`,
    part: `/spec/${part}`,
    before,
    first,
    second,
  };
}

const OF_BUCKETS: readonly EditingForm[] = [
  {
    what: 'the settings of a bucket',
    route: `${BUCKETS}/settings`,
    bucket: KEYS_BUCKET,
    first: { cacheControl: 'no-store', onConflict: 'fail' },
    second: { cacheControl: 'max-age=1', tags: 'team=finance' },
    says: {
      cacheControl: 'Cache-Control is now: no-store',
      onConflict: 'If an object exists at the key is now: Fail the job',
    },
    stored: [
      ofBucket(KEYS_BUCKET, 'objectOptions', [
        { cacheControl: 'private' },
        { cacheControl: 'no-store', onConflict: 'fail' },
        { cacheControl: 'max-age=1', onConflict: 'fail', tags: { team: 'finance' } },
      ]),
    ],
  },
  {
    what: 'the role of a bucket',
    route: `${BUCKETS}/credentials`,
    bucket: ROLE_BUCKET,
    first: { roleArn: `${ARN}first`, durationSeconds: '7200' },
    second: { roleArn: `${ARN}second`, stsEndpoint: 'https://127.0.0.1:9001' },
    says: { roleArn: `Role ARN is now: ${ARN}first`, durationSeconds: 'Session duration is now: 7200' },
    stored: [
      ofBucket(ROLE_BUCKET, 'credentials/webIdentity', [
        ROLE,
        { ...ROLE, roleArn: `${ARN}first`, durationSeconds: 7200 },
        { ...ROLE, roleArn: `${ARN}second`, durationSeconds: 7200, stsEndpoint: 'https://127.0.0.1:9001' },
      ]),
    ],
  },
  {
    what: 'the keys of a bucket',
    route: `${BUCKETS}/credentials`,
    bucket: KEYS_BUCKET,
    first: { accessKeyId: 'AKIAFIRST', secretAccessKey: 'first-secret' },
    second: { accessKeyId: 'AKIASECOND', secretAccessKey: 'second-secret' },
    says: { accessKeyId: 'The keys may have been replaced' },
    secrets: true,
    stored: [
      ofSecret(bucketSecretName(`s3-${KEYS_BUCKET}`), 'accessKeyId', [
        'AKIABEFORE',
        'AKIAFIRST',
        'AKIASECOND',
      ]),
      ofSecret(bucketSecretName(`s3-${KEYS_BUCKET}`), 'secretAccessKey', [
        'before-secret',
        'first-secret',
        'second-secret',
      ]),
    ],
  },
];

export const EDITING_FORMS: readonly EditingForm[] = [...OF_PROJECT, ...OF_BUCKETS];

/** The other forms: they create, delete or start something, and have no field with a stored value. */
export const OTHER_FORMS: readonly string[] = [
  '/new-project',
  '/projects/:project/bulk/cancel',
  '/projects/:project/bulk/cancel/confirm',
  '/projects/:project/bulk/run-again',
  '/projects/:project/bulk/run-again/confirm',
  '/projects/:project/first-steps/test-archive',
  '/projects/:project/jobs/:job/cancel',
  '/projects/:project/jobs/:job/replay-webhook',
  '/projects/:project/jobs/:job/run-again',
  '/projects/:project/new-bucket',
  '/projects/:project/new-job',
  '/projects/:project/new-token',
  '/projects/:project/tokens/:token/revoke',
  '/projects/:project/webhook/disable',
  ...['disable', 'enable', 'remove', 'rotate-secret', 'test'].map((verb) => `${ENDPOINT}/${verb}`),
  '/projects/:project/webhook/enable',
  '/projects/:project/webhook/new-endpoint',
  '/projects/:project/webhook/remove',
  '/projects/:project/webhook/resend',
  '/projects/:project/webhook/rotate-secret',
  '/projects/:project/webhook/test',
  `${BUCKETS}/delete`,
  `${BUCKETS}/test`,
  `${BUCKETS}/files/allow`,
  `${BUCKETS}/files/refuse`,
  `${SETTINGS}/delete`,
  `${SETTINGS}/purge-history`,
];
