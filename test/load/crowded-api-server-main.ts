/**
 * An API server in memory with many finished jobs, which never change, and with the objects that its clients write. A program
 * of its own, so that a test measures only the memory of its clients. Arguments: number of ZipJobs, of Jobs and pods, and of large
 * objects of each of our kinds in a namespace without a project. Prints its port. Creates new ZipJobs for each message, and responds with their times.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { GROUP_VERSION } from '#crds/api-group.ts';
import { aZipBucket, aZipJob } from '../support/builders/objects.ts';
import { productionJob, productionPod, productionZipJob } from '../support/builders/production-objects.ts';
import { PRIVATE_TLS } from '../support/servers/private-tls.ts';
import { createNewJobs, createProject, type NewJobs } from './crowded-new-jobs.ts';
import { createWrittenObjects, type Written } from './crowded-written-objects.ts';

/** Its arguments. */
export type CrowdedCounts = readonly [zipJobs: string, jobsAndPods: string, large: string];

const [jobs = 0, podded = 0, large = 0] = process.argv.slice(2).map(Number);
const PROJECTS = 20;
/** A tenth of the jobs finished within the last hour. */
const SECONDS_APART = 36_000 / jobs;
/** The builders create job 0 at this time, and one job per second after it. */
const FIRST_MS = Date.parse('2026-11-23T02:00:00Z');
const VERSION = 300_000_000;
/** Methods that write. Nothing is deleted: a DELETE does not find its object. */
const WRITES: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH']);
const END = { 'k8s.io/initial-events-end': 'true' };

type Meta = Record<string, unknown> & { name: string; namespace: string };

/** The JSON text of one object, with its times relative to now. */
function textOf(kind: { apiVersion: string; kind: string }, object: object, n: number): string {
  const shiftMs = Date.now() - FIRST_MS - (jobs - n) * SECONDS_APART * 1000 - n * 1000;
  const { metadata } = object as { metadata: Meta };
  const placed = {
    ...kind,
    ...object,
    metadata: { ...metadata, namespace: `acme-production-${n % PROJECTS}` },
  };
  return JSON.stringify(placed).replaceAll(
    /"(2026-\d\d-\d\dT[\d:]+Z)"/g,
    (_, time: string) => `"${new Date(Date.parse(time) + shiftMs).toISOString().slice(0, 19)}Z"`,
  );
}

function all(
  kind: { apiVersion: string; kind: string },
  from: number,
  build: (n: number) => object,
): readonly string[] {
  return Array.from({ length: jobs - from }, (_, index) => textOf(kind, build(from + index), from + index));
}

const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  zipjobs: all({ apiVersion: 'zipjobs.dev/v1alpha1', kind: 'ZipJob' }, 0, (n) =>
    productionZipJob(n, n < jobs * 0.9),
  ),
  jobs: all({ apiVersion: 'batch/v1', kind: 'Job' }, jobs - podded, productionJob),
  pods: all({ apiVersion: 'v1', kind: 'Pod' }, jobs - podded, productionPod),
};

/** The API server accepts 256 KiB of annotations. The status of the bucket and the spec of the job have no room for more of this size. */
const NOTE = 'x'.repeat(250 * 1024);
const BUNDLE = 'y'.repeat(16 * 1024);
const LARGE: Readonly<Record<string, object>> = {
  zipjobs: { ...aZipJob(), status: undefined },
  zipbuckets: { ...aZipBucket(), spec: { ...aZipBucket().spec, caBundle: BUNDLE } },
  ziptokens: {
    apiVersion: GROUP_VERSION,
    kind: 'ZipToken',
    spec: { sha256: '0'.repeat(64), masked: 'aaaa...bbbb', permissions: ['read'] },
  },
};

/** Their annotation is one text for all, so they cost this process nothing. */
function* largeObjects(plural: string): Iterable<string> {
  const object = LARGE[plural];
  if (!object) return;
  const metadata = { namespace: 'crowded', annotations: { note: '#' } };
  const [before, after] = JSON.stringify({ ...object, metadata }).split('"#"');
  for (let n = 0; n < large; n += 1) {
    const own = `"name":"large-${n}","uid":"uid-large-${n}","resourceVersion":"${VERSION - n}",`;
    yield `${before?.replace('"metadata":{', `"metadata":{${own}`)}"${NOTE}"${after}`;
  }
}

const NAMESPACES = Array.from({ length: PROJECTS }, (_, n) => `acme-production-${n}`);
const written = createWrittenObjects(VERSION);
for (const namespace of NAMESPACES) createProject(written, namespace);
const newJobs = createNewJobs(written, { firstNumber: jobs, namespaces: NAMESPACES });

function bookmark(version: number, annotations: object): string {
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'X', apiVersion: 'v1', metadata: { resourceVersion: String(version), annotations } } })}\n`;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      response.off('drain', end).off('close', end);
      resolve();
    }
    response.on('drain', end).on('close', end);
  });
}

/** Returns the version of the list. */
async function sendList(plural: string, response: ServerResponse): Promise<number> {
  const { version } = written;
  const objects = [written.list(plural), OBJECTS[plural] ?? [], largeObjects(plural)];
  for (const object of objects.values().flatMap((some) => some)) {
    if (response.write(`{"type":"ADDED","object":${object}}\n`)) continue;
    await drained(response);
  }
  response.write(bookmark(version, END));
  return version;
}

async function watch(plural: string, url: URL, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  const after =
    url.searchParams.get('sendInitialEvents') === 'true'
      ? await sendList(plural, response)
      : Number(url.searchParams.get('resourceVersion'));
  const following = written.follow(plural, after, (line) => response.write(line));
  response.once('close', () => following[Symbol.dispose]());
  const seconds = Number(url.searchParams.get('timeoutSeconds') ?? 30);
  setTimeout(() => {
    following[Symbol.dispose]();
    response.end(bookmark(written.version, {}));
  }, seconds * 1000).unref();
}

async function write(request: IncomingMessage, path: string): Promise<Written> {
  const atMs = performance.now();
  const { method = '', headers } = request;
  const body = JSON.parse(await text(request)) as { metadata: Meta };
  if (method === 'POST' && path.endsWith('/jobs')) newJobs.seeJob(body.metadata.name, atMs);
  return written.write({ method, path, body, isApply: headers['content-type']?.includes('apply') === true });
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const path = url.pathname;
  function send({ status, body }: Written): void {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
  const object = request.method === 'GET' ? written.get(path) : undefined;
  if (WRITES.has(request.method)) send(await write(request, path));
  else if (object) send({ status: 200, body: object });
  else if (url.searchParams.has('watch')) await watch(path.split('/').at(-1) ?? '', url, response);
  else if (url.searchParams.has('limit'))
    send({ status: 200, body: { metadata: { resourceVersion: String(written.version) }, items: [] } });
  else send({ status: 404, body: { kind: 'Status', code: 404, reason: 'NotFound', message: 'not found' } });
}

const server = createServer({ cert: PRIVATE_TLS.cert, key: PRIVATE_TLS.key }, (request, response) => {
  handle(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.on('message', (message: NewJobs) => {
  void newJobs.measure(message).then((times) => process.send?.(times));
});
