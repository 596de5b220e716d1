import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { ConfigChange } from '../builders/changed-config.ts';
import { createObjectsByPath, type ObjectsByPath } from '../builders/objects-by-path.ts';
import { unchangedForm } from '../clients/html-form.ts';
import { aProject } from '../servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  type DashboardServerOptions,
  startDashboardServer,
  type Visitor,
  visitAs,
} from '../servers/dashboard-server.ts';

export const TEAM = 'team-a';
export const HOME = `/projects/${TEAM}`;
const OURS = `/apis/zipjobs.dev/v1alpha1/namespaces/${TEAM}`;
export const COLLECTIONS = {
  projects: `${OURS}/zipprojects`,
  buckets: `${OURS}/zipbuckets`,
  tokens: `${OURS}/ziptokens`,
  zipJobs: `${OURS}/zipjobs`,
  secrets: `/api/v1/namespaces/${TEAM}/secrets`,
} as const;
/** Of a user with view permissions. */
export const VIEW = 'view-token';

/** The dashboard with a project and its objects, and two users: one with full permissions, one with view permissions. */
export interface DashboardProject extends AsyncDisposable {
  readonly server: DashboardServer;
  readonly objects: ObjectsByPath;
  readonly ada: Visitor;
  /** Can only get and list buckets, jobs and the project. */
  readonly viewer: Visitor;
  putProject(
    spec: ZipProject['spec'],
    more?: Pick<ZipProject, 'status'> & {
      readonly metadata?: { readonly uid?: string; readonly creationTimestamp?: string };
    },
  ): void;
  putBucket(bucket: ZipBucket): void;
  putToken(token: ZipToken): void;
  /** Sends a form as Ada, from the page with that CSRF token. */
  send(path: string, fields: Readonly<Record<string, string>> | URLSearchParams): ReturnType<Visitor['post']>;
  /** The same for a form of settings that Ada has just opened at this path: with the version of the settings. */
  save(path: string, fields: Readonly<Record<string, string>> | URLSearchParams): ReturnType<Visitor['post']>;
}

const VIEW_PERMISSIONS = [
  'get zipprojects',
  'list zipjobs',
  'get zipjobs',
  'list zipbuckets',
  'get zipbuckets',
];

export async function startDashboardProject(
  env: ConfigChange = {},
  options: Pick<DashboardServerOptions, 'history' | 'host' | 'readRefused'> = {},
): Promise<DashboardProject> {
  const server = await startDashboardServer({ env, ...options });
  const objects = createObjectsByPath();
  server.respondWith((request) => {
    const response = objects.respond(request);
    // The API sees the change through its watch.
    if (request.method === 'PATCH' && request.path.startsWith(COLLECTIONS.projects))
      server.zipProjects.put(RESOURCES.zipProjects.decode(response));
    return response;
  });
  server.tokens.set(ADA, { name: 'ada', allowed: ['*'] });
  server.tokens.set(VIEW, { name: 'vera', allowed: VIEW_PERMISSIONS.map((right) => `${right} ${TEAM}`) });
  const putProject: DashboardProject['putProject'] = (spec, more = {}) => {
    const plain = aProject(TEAM, spec);
    const project = { ...plain, ...more, metadata: { ...plain.metadata, ...more.metadata } };
    server.zipProjects.put(project);
    objects.put(COLLECTIONS.projects, project);
  };
  putProject({});
  const ada = await visitAs(server, ADA);
  const send: DashboardProject['send'] = async (path, fields) => {
    const form = new URLSearchParams(fields);
    form.set('csrf', await ada.csrf(HOME));
    return ada.post(path, form);
  };
  return {
    server,
    objects,
    ada,
    viewer: await visitAs(server, VIEW),
    putProject,
    putBucket: (bucket) => objects.put(COLLECTIONS.buckets, bucket),
    putToken: (token) => objects.put(COLLECTIONS.tokens, token),
    send,
    save: async (path, fields) => {
      const form = new URLSearchParams(fields);
      form.set('version', unchangedForm((await ada.get(path)).text, path).get('version') ?? '');
      return send(path, form);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
