import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import {
  type Delivery,
  startWebhookReceiver,
  verifyDelivery,
  type WebhookReceiver,
} from '#test/support/servers/webhook-receiver.ts';
import { applyObjects, createProject, type Project } from '#test/support/worlds/project.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { deliveryLine } from './messages.ts';

const NAMESPACE = 'dev';
const ACCOUNT = 'developer';

/** Everything needed to try a job: a project, sources, a webhook receiver, and a sign-in token for the dashboard. */
export interface DevProject extends AsyncDisposable {
  readonly project: Project;
  readonly origin: FileOrigin;
  readonly receiver: WebhookReceiver;
  readonly signInTokenPath: string;
}

function isValid(delivery: Delivery, secret: string): boolean {
  try {
    verifyDelivery(delivery, secret);
    return true;
  } catch {
    return false;
  }
}

/** Writes a token of a cluster-admin, which also allows creating projects, to a file and returns its path. */
async function writeSignInToken(cluster: Cluster): Promise<string> {
  await applyObjects(cluster, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: NAMESPACE, name: ACCOUNT } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `${NAMESPACE}-${ACCOUNT}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: NAMESPACE }],
    },
  ]);
  // A working day; the default is an hour.
  const { stdout } = await cluster.kubectl(['create', 'token', ACCOUNT, '-n', NAMESPACE, '--duration=24h']);
  const path = join(cluster.dir, 'sign-in-token');
  await writeFile(path, stdout, { mode: 0o600 });
  return path;
}

export async function startDevProject(cluster: Cluster, print: (line: string) => void): Promise<DevProject> {
  await using started = new AsyncDisposableStack();
  const state: { secret: string } = { secret: '' };
  const receiver = started.use(
    await startWebhookReceiver({
      respond: (delivery) => {
        print(deliveryLine(delivery.body, isValid(delivery, state.secret)));
        return undefined;
      },
    }),
  );
  const origin = started.use(await startFileOrigin({ directory: resolve('docs') }));
  const project = started.use(
    await createProject(cluster, { namespace: NAMESPACE, webhookUrl: receiver.url }),
  );
  state.secret = project.webhookSecret;
  const signInTokenPath = await writeSignInToken(cluster);
  const resources = started.move();
  return {
    project,
    origin,
    receiver,
    signInTokenPath,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
