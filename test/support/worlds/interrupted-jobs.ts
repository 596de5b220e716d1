/** Jobs between two pods: the first was killed after a checkpoint, and the next one gets no node until the test says so. */
import { expect } from 'chai';
import { bucketResourceName, bucketSecretName, GROUP_VERSION, PLURALS, zipJobName } from '#crds/api-group.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';
import { contentOf, readZip } from '../archives/read-zip.ts';
import { generatedBytes } from '../builders/generated-bytes.ts';
import { unsupportedPod } from '../builders/unsupported.ts';
import { postJob } from '../clients/api-client.ts';
import type { BucketReader } from '../clients/bucket-reader.ts';
import { pacedBytesSent } from '../servers/origin-paced-route.ts';
import { until } from '../until.ts';
import type { Flow } from './flow.ts';
import { applyObjects } from './project.ts';

const MIB = 1024 * 1024;
/** More than two parts, so a checkpoint has at least one. */
const FIRST_FILE_BYTES = 11 * MIB;
const LABEL = 'test/takes-zippers';
const LIMIT = { limitMs: 120_000, intervalMs: 100 };

/** Jobs have a checkpoint from their first part on. */
export function earlyCheckpoints(partBytes = 5 * MIB) {
  const podTemplate = unsupportedPod('controller', {
    RESUME_FROM_BYTES: 0,
    CHECKPOINT_INTERVAL_MS: 500,
    PART_SIZE_BYTES: partBytes,
    STATUS_PROGRESS_INTERVAL_MS: 500,
  });
  return { controller: { podTemplate } };
}

/** Where an archive goes. */
export interface Destination {
  readonly bucketName: string;
  readonly key: string;
}

export interface InterruptedJob {
  readonly uuid: string;
  /** When its first pod was killed. */
  readonly before: ZipJobStatus;
  /** Gives the next pod a node, and waits for the end of the job. */
  finish(): Promise<ZipJob>;
  /** Checks every byte of each of its files. @throws Error that names the file */
  check(bucket: BucketReader): Promise<void>;
  /** Bytes that were requested of its first file. */
  bytesSent(): number;
  /** Reasons and messages of its events. */
  events(): Promise<readonly string[]>;
}

export interface InterruptedJobs extends AsyncDisposable {
  /** Starts a job, and kills its pod after a checkpoint. */
  interrupt(destination: Destination): Promise<InterruptedJob>;
}

/** Changes where the zippers of the project run. Dispose of it before the flow. */
export async function startInterruptedJobs({
  cluster,
  baseUrl,
  project,
  origin,
  hold,
  kubectl,
}: Flow): Promise<InterruptedJobs> {
  const { namespace, token } = project;
  async function letZippersRun(may: boolean): Promise<void> {
    await cluster.kubectl([
      'label',
      '--overwrite',
      'node',
      cluster.node.name,
      `${LABEL}${may ? '=yes' : '-'}`,
    ]);
  }
  const pods = { nodeSelector: { [LABEL]: 'yes' } };
  await kubectl('patch', 'zipproject', 'project', '--type=merge', '-p', JSON.stringify({ spec: { pods } }));
  async function start({ bucketName, key }: Destination) {
    const held = hold();
    const first = `/paced/100000000/${FIRST_FILE_BYTES}/1?in=${key}`;
    const urls = [origin.url(first), held.url].map((url, index) => ({ url, filename: `file-${index}` }));
    return { held, uuid: await postJob(baseUrl, token, { bucket_name: bucketName, key, urls }) };
  }
  async function untilStatus(uuid: string, what: string, holds: (status: ZipJobStatus) => boolean) {
    return until(
      `${what} of job ${uuid}`,
      async () => {
        const { status } = await project.zipJob(uuid);
        if (status?.phase === 'Failed') throw new Error(JSON.stringify(status));
        return status && holds(status) && status;
      },
      LIMIT,
    );
  }
  async function kill(uuid: string): Promise<ZipJobStatus> {
    const before = await untilStatus(
      uuid,
      'the first checkpoint',
      ({ upload }) => upload?.state === 'open' && (upload.checkpoint ?? 0) > 0,
    );
    await letZippersRun(false);
    cluster.node.kill(before.job?.podUid ?? '', 'SIGKILL');
    await untilStatus(
      uuid,
      'the inheritance',
      ({ inherits, job }) =>
        inherits?.uploadId === before.upload?.uploadId && job?.podUid !== before.job?.podUid,
    );
    // Throws if it is not there.
    await cluster.read(
      `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS.ZipCheckpoint}/${zipJobName(uuid)}`,
    );
    return before;
  }
  return {
    interrupt: async (destination) => {
      await letZippersRun(true);
      const { held, uuid } = await start(destination);
      const before = await kill(uuid);
      return {
        uuid,
        before,
        finish: async () => {
          held.release();
          await letZippersRun(true);
          return project.untilPhase(uuid, ['Succeeded', 'Failed', 'Cancelled']);
        },
        check: (bucket) => checkArchive(bucket, destination.key, held.bytes),
        bytesSent: () => pacedBytesSent(destination.key),
        events: async () => {
          const format = '{range .items[*]}{.reason}: {.message}{"\\n"}{end}';
          const about = `involvedObject.name=${zipJobName(uuid)}`;
          return (
            await kubectl('get', 'events', '--field-selector', about, '-o', `jsonpath=${format}`)
          ).split('\n');
        },
      };
    },
    [Symbol.asyncDispose]: () => letZippersRun(false),
  };
}

/** The second pod continued the upload of the first one. */
export async function expectContinued(job: InterruptedJob, { status }: ZipJob): Promise<void> {
  const { upload, job: first } = job.before;
  expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
  expect(status?.result).to.include({ resumes: 1 });
  expect(status?.upload).to.include({ uploadId: upload?.uploadId, owner: first?.podUid });
  expect(status?.attempts?.[0]).to.include({ class: 'disruption', exitCode: 137 });
  expect(job.bytesSent(), 'bytes of the first file').to.be.lessThan(2 * FIRST_FILE_BYTES);
  // The controller sends Events in the background.
  const resumed = /^Resumed: pod \S+ continues the upload: [12] parts/m;
  await until('the Event Resumed', async () => resumed.test((await job.events()).join('\n')));
}

async function checkArchive(bucket: BucketReader, key: string, heldBytes: number): Promise<void> {
  const { entries } = readZip(await bucket.bytes(key));
  const expected = [generatedBytes(FIRST_FILE_BYTES, 1), generatedBytes(heldBytes, 1)];
  for (const [index, content] of expected.entries()) {
    const entry = entries[index];
    if (!entry || !contentOf(entry).equals(content)) throw new Error(`file ${index} of ${key} is wrong`);
  }
  if (entries.length !== expected.length) throw new Error(`${key} has ${entries.length} files`);
}

/** Creates or changes a bucket of a project, with these keys. */
export async function putBucket(
  { cluster, project: { namespace } }: Flow,
  bucketName: string,
  { endpoint, region, ...keys }: StoreAccess & { readonly sessionToken?: string },
): Promise<void> {
  const name = bucketResourceName('s3', bucketName);
  await applyObjects(cluster, [
    {
      apiVersion: GROUP_VERSION,
      kind: 'ZipBucket',
      metadata: { namespace, name },
      spec: { service: 's3', bucketName, region, endpoint },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: bucketSecretName(name) },
      stringData: keys,
    },
  ]);
}
