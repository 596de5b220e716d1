/** What the misbehaving project has before its clients start, by way. The caller deletes its jobs and pods. */
import { ZIPPER_CONTAINER, zipJobName } from '#crds/api-group.ts';
import { putFinishedJobs } from '#test/support/builders/finished-jobs.ts';
import { createStoredJobs } from '#test/support/builders/stored-jobs.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { createVisitor } from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';
import type { Project } from '#test/support/worlds/project.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import type { Target } from './ways.ts';

export interface Attacker {
  readonly project: Project;
  readonly api: KubeApi;
  readonly admin: KubeUser;
  readonly dashboardUrl: string;
  /** Of a user with the role edit. */
  readonly userToken: string;
  /** Stored jobs, and unsent webhooks. */
  readonly jobs: number;
}

type Prepare = (attacker: Attacker) => Promise<Pick<Target, 'page' | 'cookies'>>;

const SESSIONS = 20;
const LOG_POD = 'hostile-log';
/** As many lines as the dashboard shows, of the longest length that it does not cut, full of starts of URLs. */
const PRINT = `for (let n = 0; n < 60; n += 1) console.log('://'.repeat(${Math.floor((16 * 1024) / 3)}))`;

/** A page of the project, and sessions that request it. */
async function openSessions({ dashboardUrl, userToken, project }: Attacker, path: string) {
  const cookies: string[] = [];
  for (let count = 0; count < SESSIONS; count += 1) {
    const visitor = createVisitor(dashboardUrl);
    const { status } = await visitor.signIn(userToken);
    if (status !== 303) throw new Error(`the dashboard returned ${status} to a sign-in`);
    cookies.push([...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
  }
  return { page: `${dashboardUrl}/projects/${project.namespace}/jobs${path}`, cookies };
}

/** A pod that an editor of the namespace passes off as the pod of a job. */
function logPod(namespace: string, job: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: LOG_POD, labels: { 'batch.kubernetes.io/job-name': job } },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: ZIPPER_CONTAINER,
          image: 'zipjobs-zipper',
          command: ['node', '-e', PRINT],
          resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '1', memory: '64Mi' } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
}

const hostileLog: Prepare = async (attacker) => {
  const { api, project } = attacker;
  const { namespace, bucketName } = project;
  const [uuid = ''] = await createStoredJobs(api, { namespace, bucketName, count: 1 });
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await api.create(path, logPod(namespace, zipJobName(uuid)));
  await until('the hostile log', async () => {
    const { status } = await api.get<{ readonly status: { readonly phase?: string } }>(`${path}/${LOG_POD}`);
    return status.phase === 'Succeeded';
  });
  return openSessions(attacker, `/${zipJobName(uuid)}?log=last`);
};

const NOTHING = { page: '', cookies: [] };

const PREPARATIONS: Readonly<Record<string, Prepare>> = {
  'dashboard polls': (attacker) => openSessions(attacker, '?q=no-such-key'),
  'dashboard logs': hostileLog,
  'webhooks to silent names': async ({ admin, project, jobs }) => {
    const { namespace, bucketName } = project;
    function url(index: number): string {
      return `http://n${index}.silent.example/`;
    }
    await putFinishedJobs(admin, { namespace, bucketName, count: Math.min(jobs, 1_000), url });
    return NOTHING;
  },
};

const NEEDS_STORED_JOBS: ReadonlySet<string> = new Set(['dashboard polls', 'stored jobs']);

/** Nothing for a way without an entry in PREPARATIONS. */
export async function prepare(way: string, attacker: Attacker): ReturnType<Prepare> {
  return (await PREPARATIONS[way]?.(attacker)) ?? NOTHING;
}

/** Stores the jobs of the project before the first way that needs them, and returns their names. */
export function createStore({ api, project, jobs: count }: Attacker) {
  let stored: ReadonlySet<string> = new Set();
  return async (way: string): Promise<typeof stored> => {
    if (stored.size > 0 || !NEEDS_STORED_JOBS.has(way)) return stored;
    const { namespace, bucketName } = project;
    const uuids = await createStoredJobs(api, { namespace, bucketName, count });
    stored = new Set(uuids.map(zipJobName));
    return stored;
  };
}

/** Removes the pod that `prepare` may have created. */
export async function removeLogPod({ admin, project }: Attacker): Promise<void> {
  await admin.request(
    'DELETE',
    `/api/v1/namespaces/${project.namespace}/pods/${LOG_POD}?gracePeriodSeconds=0`,
  );
}
