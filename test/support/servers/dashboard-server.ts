import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import type { ZipProject } from '#crds/zip-project.ts';
import { readDashboardConfig } from '#dashboard/config.ts';
import { ZIP_JOB_INDEXES } from '#dashboard/live/caches.ts';
import { createKnownJobs } from '#dashboard/live/known-jobs.ts';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { createDashboardMetrics } from '#dashboard/metrics.ts';
import { createDashboardServer, type DashboardDeps } from '#dashboard/wiring.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { createLogger } from '#runtime/log/log.ts';
import { type Clock, systemClock } from '#runtime/time/clock.ts';
import { type ConfigChange, changedConfig } from '../builders/changed-config.ts';
import { createFakeObjects, createFakeObjectsKeptAs } from '../builders/fake-objects.ts';
import { aProject } from './api-server.ts';

/**
 * The user of a token according to the API server, and the permitted `verb resource namespace` (`*` for all).
 */
export interface KnownToken {
  readonly name: string;
  readonly allowed: readonly string[];
}

function fieldsOf(value: unknown, ...path: readonly string[]): Readonly<Record<string, unknown>> {
  const inner = path.reduce<unknown>((from, name) => (isRecord(from) ? from[name] : undefined), value);
  return isRecord(inner) ? inner : {};
}

/** An API server that knows tokens and responds to reviews; all other requests are passed to `answer`. */
function createFakeKube(
  tokens: Map<string, KnownToken>,
  requests: KubeRequest[],
  reply: (request: KubeRequest) => unknown,
): KubeClient {
  return {
    server: 'https://kubernetes.test',
    request: async (request) => {
      requests.push(request);
      const known = tokens.get(request.bearer ?? '');
      if (known === undefined)
        throw new KubeError('Unauthorized', {
          attempt: `${request.method} ${request.path}`,
          code: 'Unauthorized',
          httpStatus: 401,
        });
      if (request.path.endsWith('/selfsubjectreviews'))
        return { status: { userInfo: { username: known.name } } };
      if (!request.path.endsWith('/selfsubjectaccessreviews')) return reply(request);
      const { verb, resource, namespace = '' } = fieldsOf(request.body, 'spec', 'resourceAttributes');
      const wanted = `${String(verb)} ${String(resource)} ${String(namespace)}`;
      return { status: { allowed: known.allowed.includes('*') || known.allowed.includes(wanted) } };
    },
    stream: async (request) => {
      requests.push(request);
      return Readable.from([String(await reply(request))]);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

export interface DashboardServerOptions {
  /** The address at which it listens; loopback by default. */
  readonly host?: string;
  readonly env?: ConfigChange;
  readonly clock?: Clock;
  readonly redis?: Redis;
  readonly provider?: DashboardDeps['provider'];
  readonly history?: DashboardDeps['history'];
  readonly readRefused?: DashboardDeps['readRefused'];
}

export interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * A browser without JavaScript: it keeps cookies and submits forms of the dashboard's own pages, but follows
 * no redirects.
 */
export interface Visitor {
  readonly url: string;
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** The CSRF token of a page. */
  csrf(path: string): Promise<string>;
  signIn(token: string): Promise<Response>;
}

/** The names of the fields of the filters of a page, as the browser sends them. */
export function filterNames(html: string): readonly string[] {
  const [form = ''] = /<form[^>]* class="finder".*?<\/form>/s.exec(html) ?? [];
  const names = [...form.matchAll(/<input[^>]* name="([^"]+)"/g)].map(([, name = '']) => name);
  return [...new Set(names)];
}

export const FROM_HERE = { 'sec-fetch-site': 'same-origin' } as const;

export function createVisitor(url: string): Visitor {
  const cookies = new Map<string, string>();
  function keep(header: string): void {
    const [pair = '', ...attributes] = header.split('; ');
    const [name = '', value = ''] = pair.split('=');
    if (attributes.includes('Max-Age=0')) cookies.delete(name);
    else cookies.set(name, value);
  }
  async function ask(path: string, init: RequestInit): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const reply = await fetch(url + path, { ...init, headers, redirect: 'manual' });
    reply.headers.getSetCookie().forEach(keep);
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  }
  const visitor: Visitor = {
    url,
    cookies,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields, headers = FROM_HERE) =>
      ask(path, { method: 'POST', body: new URLSearchParams(fields), headers }),
    csrf: async (path) =>
      /name="csrf" value="([^"]+)"/.exec((await visitor.get(path)).text)?.[1] ?? 'no form on the page',
    signIn: (token) => visitor.post('/sign-in', { token, next: '/projects' }),
  };
  return visitor;
}

/** The dashboard on a free port; the objects and the responses of the API server are in memory. */
export async function startDashboardServer(options: DashboardServerOptions = {}) {
  const tokens = new Map<string, KnownToken>();
  const requests: KubeRequest[] = [];
  const logLines: string[] = [];
  let reply: (request: KubeRequest) => unknown = (request) => request.body;
  const jobs = createKnownJobs();
  const zipJobs = createFakeObjectsKeptAs(toListedJob, {
    onChange: (change) => jobs.note(change),
    indexes: ZIP_JOB_INDEXES,
  });
  const zipProjects = createFakeObjects<ZipProject>();
  const server = createDashboardServer({
    config: changedConfig(readDashboardConfig, options.env ?? {}),
    log: createLogger('dashboard', {
      level: 'debug',
      destination: { write: (line) => logLines.push(line) },
    }),
    clock: options.clock ?? systemClock,
    metrics: createDashboardMetrics(new Registry()),
    redis: options.redis,
    kube: createFakeKube(tokens, requests, (request) => reply(request)),
    jobs,
    caches: { zipJobs: zipJobs.reflector, zipProjects: zipProjects.reflector },
    provider: options.provider,
    history: options.history,
    readRefused: options.readRefused,
  });
  const { host = '127.0.0.1' } = options;
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    tokens,
    /** Every call to the API server so far. */
    requests,
    logLines,
    zipJobs,
    zipProjects,
    /** Responses of the API server other than reviews. */
    respondWith: (given: (request: KubeRequest) => unknown): void => {
      reply = given;
    },
    visit: () => createVisitor(url),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type DashboardServer = Awaited<ReturnType<typeof startDashboardServer>>;

/** Names of tokens and cookies in tests. */
export const SESSION = '__Host-zipjobs-session';
export const ADA = 'ada-token';
export const NOBODY = 'nobody-token';

/** With two projects, Ada with full permissions, and a user without permissions. */
export async function startStaffedDashboard(env: ConfigChange = {}): Promise<DashboardServer> {
  const server = await startDashboardServer({ env });
  server.tokens.set(ADA, { name: 'ada', allowed: ['*'] });
  server.tokens.set(NOBODY, { name: 'nobody', allowed: [] });
  server.zipProjects.put(aProject('team-a', { displayName: 'Team A' }));
  server.zipProjects.put(aProject('team-b'));
  return server;
}

/** A signed-in user. */
export async function visitAs(server: DashboardServer, token: string): Promise<Visitor> {
  const visitor = server.visit();
  const { status } = await visitor.signIn(token);
  if (status !== 303) throw new Error(`sign-in returned ${status}`);
  return visitor;
}
