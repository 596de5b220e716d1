/**
 * An API server in memory with many finished jobs, in which nothing changes. A program of its own, so that a test measures
 * only the memory of its clients. Arguments: number of ZipJobs, and of Jobs and pods. Prints its port.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { productionJob, productionPod, productionZipJob } from '../support/builders/production-objects.ts';
import { PRIVATE_TLS } from '../support/servers/private-tls.ts';

/** Its arguments. */
export type CrowdedCounts = readonly [zipJobs: string, jobsAndPods: string];

const [jobs = 0, podded = 0] = process.argv.slice(2).map(Number);
const PROJECTS = 20;
/** A tenth of the jobs finished within the last hour. */
const SECONDS_APART = 36_000 / jobs;
/** The builders create job 0 at this time, and one job per second after it. */
const FIRST_MS = Date.parse('2026-11-23T02:00:00Z');
const VERSION = '300000000';
const END = { 'k8s.io/initial-events-end': 'true' };

type Meta = Record<string, unknown> & { name: string; namespace: string };

/** The JSON text of one object, with its times relative to now. */
const textOf = (kind: { apiVersion: string; kind: string }, object: object, n: number): string => {
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
};

const all = (
  kind: { apiVersion: string; kind: string },
  from: number,
  build: (n: number) => object,
): readonly string[] =>
  Array.from({ length: jobs - from }, (_, index) => textOf(kind, build(from + index), from + index));

const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  zipjobs: all({ apiVersion: 'zipjobs.dev/v1alpha1', kind: 'ZipJob' }, 0, (n) =>
    productionZipJob(n, n < jobs * 0.9),
  ),
  jobs: all({ apiVersion: 'batch/v1', kind: 'Job' }, jobs - podded, productionJob),
  pods: all({ apiVersion: 'v1', kind: 'Pod' }, jobs - podded, productionPod),
};

const bookmark = (annotations: object): string =>
  `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'X', apiVersion: 'v1', metadata: { resourceVersion: VERSION, annotations } } })}\n`;

const watch = async (plural: string, url: URL, response: ServerResponse): Promise<void> => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  if (url.searchParams.get('sendInitialEvents') === 'true') {
    for (const object of OBJECTS[plural] ?? []) {
      if (response.write(`{"type":"ADDED","object":${object}}\n`)) continue;
      await new Promise((resolve) => {
        response.once('drain', resolve).once('close', resolve);
      });
    }
    response.write(bookmark(END));
  }
  const seconds = Number(url.searchParams.get('timeoutSeconds') ?? 30);
  setTimeout(() => response.end(bookmark({})), seconds * 1000).unref();
};

/** Leases: the only objects that the clients write. */
const written = new Map<string, Record<string, unknown>>();
let versions = Number(VERSION);

const write = async (request: IncomingMessage, path: string): Promise<Record<string, unknown>> => {
  const object = JSON.parse(await text(request)) as { metadata: Meta };
  versions += 1;
  const stored = {
    ...object,
    metadata: { ...object.metadata, resourceVersion: String(versions), uid: 'lease' },
  };
  written.set(request.method === 'POST' ? `${path}/${object.metadata.name}` : path, stored);
  return stored;
};

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const path = url.pathname;
  const send = (status: number, value: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  const isLease = path.includes('/leases');
  if (isLease && request.method !== 'GET') send(200, await write(request, path));
  else if (written.has(path)) send(200, written.get(path));
  else if (url.searchParams.has('watch')) await watch(path.split('/').at(-1) ?? '', url, response);
  else if (url.searchParams.has('limit')) send(200, { metadata: { resourceVersion: VERSION }, items: [] });
  else send(404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'not found' });
};

const server = createServer({ cert: PRIVATE_TLS.cert, key: PRIVATE_TLS.key }, (request, response) => {
  handle(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
