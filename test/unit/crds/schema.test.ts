/**
 * Compares the YAML (which the API server enforces) with the types (which the code uses). Each sample below has
 * every field of its type, including optional ones: the compiler refuses a sample with a missing or extra field, and
 * the tests refuse a schema whose properties differ from those of the sample.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { API_GROUP, API_VERSION, GROUP_VERSION, MAX_ZIP_JOB_NAME_LENGTH, PLURALS } from '#crds/api-group.ts';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import type { Condition } from '#crds/conditions.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import * as zip from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { PERMISSIONS, type ZipToken } from '#crds/zip-token.ts';

type Scalar = string | number | boolean | null | undefined;
type Complete<T> = T extends Scalar
  ? T
  : T extends readonly (infer E)[]
    ? readonly Complete<E>[]
    : string extends keyof T
      ? T
      : { readonly [K in keyof T]-?: Complete<Exclude<T[K], undefined>> };

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

const TIME = '2026-01-01T00:00:00Z';
const CA_BUNDLE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const condition: Complete<Condition> = {
  type: 'Ready',
  status: 'True',
  reason: 'r',
  message: 'm',
  lastTransitionTime: TIME,
  observedGeneration: 1,
};
const upload: Complete<zip.AttemptUpload> = { uploadId: 'u', state: 'open', partSize: 1, parts: 1 };
const archive: Complete<zip.ArchiveContents> = {
  bytes: 1,
  entries: 1,
  skipped: [0],
  skippedCodes: { SourceNotFound: 1 },
  lengthUnverified: [0],
  sha256: '0',
};

const spec: Complete<zip.ZipJobSpec> = {
  bucketRef: { name: 's3-b' },
  service: 's3',
  key: 'k',
  files: [{ url: 'https://a/b', filename: 'b' }],
  filesFrom: { secretNames: ['n'], encoding: 'gzip+json', count: 1, sha256: '0' },
  metadata: '{}',
  compression: 'store',
  onSourceError: 'Fail',
  manifestEntry: 'm',
  fixedModificationTime: TIME,
  activeDeadlineSeconds: 60,
  startDeadlineSeconds: 60,
  maxAttempts: 1,
  ttlSecondsAfterFinished: { succeeded: 1, failed: 1 },
  priorityClassName: 'p',
  resources: { requests: { cpu: '1' }, limits: { cpu: '1' } },
  queueName: 'q',
  onConflict: 'replace',
  sha256: false,
  portableNames: 'keep',
  sequential: true,
  webhook: { url: 'https://a/', events: ['COMPLETED'] },
  suspend: false,
  cancel: false,
};

const status: Complete<zip.ZipJobStatus> = {
  observedGeneration: 1,
  phase: 'Queued',
  reason: 'r',
  message: 'm',
  apiStatus: 'none',
  acceptedAt: TIME,
  startedAt: TIME,
  finishedAt: TIME,
  duration: '1s',
  job: { name: 'n', uid: 'u', podName: 'p', podUid: 'p', node: 'n' },
  attempts: [
    {
      n: 1,
      podUid: 'p',
      startedAt: TIME,
      finishedAt: TIME,
      exitCode: 0,
      class: 'success',
      reason: 'r',
      message: 'm',
      upload,
      abortFailures: 1,
    },
  ],
  attemptsTotal: 1,
  progress: {
    podUid: 'p',
    filesTotal: 1,
    filesDone: 1,
    bytesRead: 1,
    bytesUploaded: 1,
    currentFile: 0,
    bytesTotal: 1,
    bytesPerSecond: 1,
    estimatedEndAt: TIME,
    display: '1/1',
    updatedAt: TIME,
  },
  upload: { ...upload, archive },
  result: { ...archive, etag: 'e', seconds: 1, peakMemory: 1, retries: 0, contractVersion: 1 },
  failure: { code: 'c', message: 'm', fileIndex: 0, httpStatus: 404, retriable: false },
  webhook: {
    state: 'Pending',
    deliveryId: 'd',
    attempts: 1,
    lastStatus: 200,
    nextAttemptAt: TIME,
    deliveredAt: TIME,
    replayNonce: 'n',
    log: [{ at: TIME, durationMs: 1, status: 200, error: 'timeout' }],
  },
  conditions: [condition],
};

const webIdentity = { roleArn: 'r', audience: 'a', stsEndpoint: 's', stsRegion: 'e', durationSeconds: 900 };
const bucket: Complete<Pick<ZipBucket, 'spec' | 'status'>> = {
  spec: {
    service: 's3',
    bucketName: 'b',
    region: 'eu-west-1',
    host: 'h',
    accountId: 'a',
    caBundle: CA_BUNDLE,
    endpoint: 'https://e',
    credentials: { webIdentity },
    objectOptions: {
      storageClass: 'S',
      cacheControl: 'c',
      contentDisposition: 'd',
      acl: 'private',
      onConflict: 'fail',
    },
  },
  status: {
    conditions: [condition],
    activeJobs: 1,
    test: { nonce: '1', finishedAt: '2026-01-01T00:00:00Z' },
  },
};

const token: Complete<Pick<ZipToken, 'spec' | 'status'>> = {
  spec: { displayName: 'd', sha256: '0', masked: 'zj_a...abcd', permissions: ['create'], createdBy: 'c' },
  status: { lastUsedAt: TIME },
};

const LIMITS = { activeJobs: 1, filesPerJob: 1, requestsPerMinute: 1, storedJobs: 1, storedBytes: 1 };

const project: Complete<Pick<ZipProject, 'spec' | 'status'>> = {
  spec: {
    displayName: 'd',
    webhook: { url: 'https://a/', events: ['COMPLETED'], enabled: true },
    limits: LIMITS,
    jobDefaults: {
      compression: 'store',
      onSourceError: 'Fail',
      portableNames: 'keep',
      onConflict: 'fail',
      sha256: true,
      fixedModificationTime: TIME,
      sequential: true,
      activeDeadlineSeconds: 60,
      maxAttempts: 1,
      startDeadlineSeconds: 5,
      ttlSecondsAfterFinished: { succeeded: 1, failed: 1 },
      manifestEntry: 'm',
      queueName: 'q',
    },
    callerOptions: { closed: ['sha256'] },
    pods: {
      priorityClassName: 'low',
      resources: { requests: { cpu: '1' }, limits: { cpu: '1' } },
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 1 }],
    },
  },
  status: {
    class: { name: 'c', limits: LIMITS },
    conditions: [condition],
    webhook: {
      host: 'a',
      endpoint: 'e',
      state: 'Enabled',
      reason: 'Gone',
      lastDelivery: TIME,
      failingSince: TIME,
      enabledNonce: 'n',
      test: { nonce: 'n', at: TIME, durationMs: 1, status: 200, error: 'timeout' },
    },
  },
};

const SAMPLES = { ZipJob: { spec, status }, ZipBucket: bucket, ZipToken: token, ZipProject: project };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every path at which the fields of schema and sample differ. */
const differences = (schema: Schema | undefined, sample: unknown, path: string): string[] => {
  if (Array.isArray(sample)) return differences(schema?.items, sample[0], `${path}[]`);
  if (!isRecord(sample) || schema?.properties === undefined) return [];
  const inSchema = Object.keys(schema.properties).toSorted();
  const inType = Object.keys(sample).toSorted();
  const here =
    inSchema.join() === inType.join()
      ? []
      : [`${path}: schema [${inSchema.join()}], type [${inType.join()}]`];
  return [
    ...here,
    ...inType.flatMap((name) => differences(schema.properties?.[name], sample[name], `${path}.${name}`)),
  ];
};

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: Readonly<Record<string, unknown>>;
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const crdOf = (plural: string): Crd => parse(readFileSync(`crds/${plural}.yaml`, 'utf8')) as Crd;
const versionOf = (plural: string): Crd['spec']['versions'][number] => {
  const [version] = crdOf(plural).spec.versions;
  if (version === undefined) throw new Error(`crds/${plural}.yaml has no version`);
  return version;
};
const schemaOf = (plural: string): Schema => versionOf(plural).schema.openAPIV3Schema;
const at = (schema: Schema, ...path: string[]): Schema | undefined =>
  path.reduce<Schema | undefined>(
    (node, name) => (name === '[]' ? node?.items : node?.properties?.[name]),
    schema,
  );

describe('the CRDs', () => {
  for (const [kind, plural] of Object.entries(PLURALS)) {
    const sample = kind in SAMPLES ? SAMPLES[kind as keyof typeof SAMPLES] : undefined;

    it(`of ${kind} use the names in the code`, () => {
      const { metadata, spec: crd } = crdOf(plural);
      expect(metadata.name).to.equal(`${plural}.${API_GROUP}`);
      expect(crd.names).to.include({ kind, plural, singular: kind.toLowerCase() });
      expect(crd.names['categories']).to.deep.equal(['zip']);
      expect(`${crd.group}/${versionOf(plural).name}`).to.equal(GROUP_VERSION);
      expect(versionOf(plural)).to.deep.include({
        name: API_VERSION,
        served: true,
        storage: true,
        subresources: { status: {} },
      });
    });

    it(`of ${kind} have exactly the fields of the type`, () => {
      expect(differences(at(schemaOf(plural), 'spec'), sample?.spec, 'spec')).to.deep.equal([]);
      expect(differences(at(schemaOf(plural), 'status'), sample?.status, 'status')).to.deep.equal([]);
    });
  }

  it('allow exactly the enum values in the code', () => {
    const schema = schemaOf('zipjobs');
    const words: readonly [readonly string[], ...string[]][] = [
      [zip.SERVICES, 'spec', 'service'],
      [zip.COMPRESSIONS, 'spec', 'compression'],
      [zip.ON_SOURCE_ERRORS, 'spec', 'onSourceError'],
      [zip.ON_CONFLICTS, 'spec', 'onConflict'],
      [zip.PORTABLE_NAMES, 'spec', 'portableNames'],
      [zip.WEBHOOK_EVENTS, 'spec', 'webhook', 'events', '[]'],
      [zip.PHASES, 'status', 'phase'],
      [zip.API_STATUSES, 'status', 'apiStatus'],
    ];
    for (const [known, ...path] of words)
      expect(at(schema, ...path)?.enum, path.join('.')).to.deep.equal(known);
    expect(at(schemaOf('zipprojects'), 'spec', 'callerOptions', 'closed', '[]')?.enum).to.deep.equal(
      CALLER_OPTIONS,
    );
    expect(at(schemaOf('ziptokens'), 'spec', 'permissions', '[]')?.enum).to.deep.equal(PERMISSIONS);
  });

  it('limit names so that the names of child objects fit', () => {
    expect(readFileSync('crds/zipjobs.yaml', 'utf8')).to.contain(
      `self.metadata.name.size() <= ${MAX_ZIP_JOB_NAME_LENGTH}`,
    );
  });
});
