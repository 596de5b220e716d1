import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { zipJobName } from '#crds/api-group.ts';
import { type DevProject, startDevProject } from '#test/dev/dev-project.ts';
import { type LocalAddresses, localDashboard, openLocalAddresses } from '#test/dev/local-addresses.ts';
import { describeOverview } from '#test/dev/overview.ts';
import { startSignInLink } from '#test/dev/sign-in-link.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { verifyDelivery } from '#test/support/servers/webhook-receiver.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import type { Project } from '#test/support/worlds/project.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { checkDashboard } from './check-dashboard.ts';
import { chooseRealFiles, type RealFile } from './real-files.ts';
import { AFTERWARDS, mebibytes, summarize } from './summary.ts';
import { compareWithSources, testWithUnzip } from './verify-archive.ts';
import { watchProgress } from './watch-progress.ts';

const NAMESPACE = 'demo';
const SOURCE_FOLDER = 'node_modules';
const KEY = 'demo/archive.zip';
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

async function prepareSources(demo: Demo, { origin }: DevProject): Promise<Posted> {
  if (demo.urls.length > 0)
    return { files: demo.urls.map((url, index) => ({ url, filename: fileNameOf(url, index) })), sources: [] };
  const directory = resolve(SOURCE_FOLDER);
  const sources = await chooseRealFiles(directory);
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

async function checkWebhook({ receiver, project }: DevProject, uuid: string): Promise<string> {
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

/** Creates the archive and returns the uuid of its job. */
async function makeArchive(
  demo: Demo,
  { project }: DevProject,
  { apiUrl, posted }: { apiUrl: string; posted: Posted },
): Promise<string> {
  await untilTokenKnown(apiUrl, project.token);
  const request = JSON.stringify({ bucket_name: project.bucketName, key: KEY, urls: posted.files });
  const uuid = await postJob(apiUrl, project.token, `${request.slice(0, -1)},"metadata":${METADATA}}`);
  demo.step(`POST ${apiUrl}/v1/zips returned uuid ${uuid}; its ZipJob:`);
  const job = await watchProgress(demo.cluster, {
    namespace: NAMESPACE,
    name: zipJobName(uuid),
    limitMs: JOB_LIMIT_MS,
    print: demo.print,
  });
  if (job.status?.phase !== 'Succeeded')
    throw new Error(`the job ended as ${job.status?.phase}: ${job.status?.message}`);
  return uuid;
}

async function checkResult(
  demo: Demo,
  dev: DevProject,
  { apiUrl, uuid, posted }: { apiUrl: string; uuid: string; posted: Posted },
): Promise<void> {
  const { print } = demo;
  print(`webhook, signature verified: ${await checkWebhook(dev, uuid)}`);
  const response = await askApi(apiUrl, { path: `/v1/zips/${uuid}`, token: dev.project.token });
  if (response.body.data?.status !== 'succeeded') throw new Error(`GET returned ${response.text}`);
  print(`GET /v1/zips/${uuid}: ${response.text}`);
  const archive = await checkArchive(demo, dev.project, { key: KEY, posted });
  if (demo.keep) print(`the archive is also in the file ${archive}`);
}

/** Starts the link to the page of the job, and opens it once. */
async function openDashboard(
  demo: Demo,
  { dashboardUrl }: LocalAddresses,
  { token, uuid }: { token: string; uuid: string },
): Promise<string> {
  const page = `/projects/${NAMESPACE}/jobs/${zipJobName(uuid)}`;
  const link = demo.stack.use(await startSignInLink({ dashboardUrl, token, page }));
  await checkDashboard(link.url, KEY);
  demo.print('the dashboard shows the archive');
  return link.url;
}

/** @throws Error at the first incorrect result. */
export async function runDemo(demo: Demo): Promise<void> {
  const { cluster, step, print, stack } = demo;
  step(`Installing the chart (helm install, namespace ${RELEASE_NAMESPACE})`);
  const addresses = stack.use(await openLocalAddresses(cluster, print));
  await installChart(cluster, { dashboard: localDashboard(addresses) });
  step(`Creating the project '${NAMESPACE}' with a bucket, a token and a webhook`);
  let isDone = false;
  const dev = stack.use(
    await startDevProject(cluster, {
      namespace: NAMESPACE,
      sourceFolder: SOURCE_FOLDER,
      // The first delivery is part of the result.
      print: (line) => isDone && print(line),
    }),
  );
  const posted = await prepareSources(demo, dev);
  const { apiUrl } = addresses;
  const uuid = await makeArchive(demo, dev, { apiUrl, posted });
  step('Checking the result');
  await checkResult(demo, dev, { apiUrl, uuid, posted });
  const signInUrl = await openDashboard(demo, addresses, { token: dev.signInToken, uuid });
  step('Done');
  print(summarize(await dev.project.zipJob(uuid)));
  if (!demo.keep) return print(AFTERWARDS);
  isDone = true;
  const { project, origin, receiver } = dev;
  const urls = { signInUrl, originUrl: origin.origin, receiverUrl: receiver.url };
  print(describeOverview({ cluster, addresses, project, sourceFolder: SOURCE_FOLDER, ...urls }));
  print('Press Ctrl-C to stop everything.');
}
