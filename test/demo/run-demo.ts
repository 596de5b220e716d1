import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { zipJobName } from '#crds/api-group.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import {
  startWebhookReceiver,
  verifyDelivery,
  type WebhookReceiver,
} from '#test/support/servers/webhook-receiver.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { chooseRealFiles, type RealFile } from './real-files.ts';
import { AFTERWARDS, mebibytes, summarize, whileKept } from './summary.ts';
import { compareWithSources, testWithUnzip } from './verify-archive.ts';
import { watchProgress } from './watch-progress.ts';

const NAMESPACE = 'demo';
const JOB_LIMIT_MS = 300_000;
const METADATA = '{"order": 12345678901234567890, "price": 1.0, "note": "returned exactly as sent"}';

export interface Demo {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly urls: readonly string[];
  readonly keep: boolean;
  readonly step: (line: string) => void;
  readonly print: (line: string) => void;
  readonly stack: AsyncDisposableStack;
}

interface Posted {
  readonly files: readonly { readonly url: string; readonly filename: string }[];
  /** Empty when the user passed URLs: then there are no local files to compare with. */
  readonly sources: readonly RealFile[];
}

function fileNameOf(url: string, index: number): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  return `${index + 1}-${last === '' ? 'index.html' : decodeURIComponent(last)}`;
}

async function prepareSources(demo: Demo): Promise<Posted> {
  if (demo.urls.length > 0)
    return { files: demo.urls.map((url, index) => ({ url, filename: fileNameOf(url, index) })), sources: [] };
  const directory = resolve('node_modules');
  const sources = await chooseRealFiles(directory);
  const origin = demo.stack.use(await startFileOrigin({ directory }));
  const files = sources.map(({ path, filename }) => ({
    url: origin.url(`/files/${relative(directory, path).split('/').map(encodeURIComponent).join('/')}`),
    filename,
  }));
  const bytes = sources.reduce((sum, file) => sum + file.bytes, 0);
  demo.step(
    `Serving ${files.length} files of the installed packages (${mebibytes(bytes)}) from ${origin.origin}`,
  );
  return { files, sources };
}

async function checkWebhook(receiver: WebhookReceiver, project: Project, uuid: string): Promise<string> {
  const delivery = await receiver.next((one) => one.body.includes(uuid));
  verifyDelivery(delivery, project.webhookSecret);
  if (!delivery.body.includes(METADATA))
    throw new Error(`the metadata in the webhook differs from the request: ${delivery.body}`);
  return delivery.body;
}

async function checkArchive(
  demo: Demo,
  project: Project,
  { key, posted }: { key: string; posted: Posted },
): Promise<string> {
  const archive = join(demo.folder, 'archive.zip');
  await project.bucket.download(key, archive);
  const tester = await testWithUnzip(archive);
  const size = mebibytes((await stat(archive)).size);
  demo.print(
    tester === undefined
      ? `unzip not found: skipping its test of the archive (${size}). Install with: apt-get install unzip`
      : `${tester}: no errors, ${size}`,
  );
  if (posted.sources.length > 0) {
    await compareWithSources(archive, posted.sources);
    demo.print(`every byte of ${posted.sources.length} entries equals its source, in order`);
  }
  return archive;
}

/** @throws Error at the first incorrect result. */
export async function runDemo(demo: Demo): Promise<void> {
  const { cluster, step, print } = demo;
  step(`Installing the chart (helm install, namespace ${RELEASE_NAMESPACE})`);
  const installation = await installChart(cluster);
  const receiver = demo.stack.use(await startWebhookReceiver());
  step(`Creating the project '${NAMESPACE}' with a bucket, a token and a webhook to ${receiver.url}`);
  const project = demo.stack.use(
    await createProject(cluster, { namespace: NAMESPACE, webhookUrl: receiver.url }),
  );
  const posted = await prepareSources(demo);
  const apiUrl = await installation.apiUrl();
  const key = 'demo/archive.zip';
  const request = JSON.stringify({ bucket_name: project.bucketName, key, urls: posted.files });
  const uuid = await postJob(apiUrl, project.token, `${request.slice(0, -1)},"metadata":${METADATA}}`);
  step(`POST ${apiUrl}/v1/zips returned uuid ${uuid}; kubectl get zipjobs shows:`);
  const job = await watchProgress(cluster, {
    namespace: NAMESPACE,
    name: zipJobName(uuid),
    limitMs: JOB_LIMIT_MS,
    print,
  });
  if (job.status?.phase !== 'Succeeded')
    throw new Error(`the job ended as ${job.status?.phase}: ${job.status?.message}`);
  step('Checking the result');
  const body = await checkWebhook(receiver, project, uuid);
  print(`webhook, signature verified: ${body}`);
  const response = await askApi(apiUrl, { path: `/v1/zips/${uuid}`, token: project.token });
  if (response.body.data?.status !== 'succeeded') throw new Error(`GET returned ${response.text}`);
  print(`GET /v1/zips/${uuid}: ${response.text}`);
  const archive = await checkArchive(demo, project, { key, posted });
  const live = await project.zipJob(uuid);
  step('Done');
  print(
    summarize(
      live,
      demo.keep
        ? whileKept(demo.cluster, {
            namespace: NAMESPACE,
            job: live,
            token: project.token,
            apiUrl,
            uuid,
            archive,
          })
        : AFTERWARDS,
    ),
  );
}
