import { resolve } from 'node:path';
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

const ACCOUNT = 'developer';

export interface DevProjectOptions {
  readonly namespace: string;
  /** Folder of this checkout whose files are sources. */
  readonly sourceFolder: string;
  /** Called with a line about each delivery of a webhook. */
  readonly print: (line: string) => void;
}

/** Everything needed to try a job: a project, sources, a webhook receiver, and a user for the dashboard. */
export interface DevProject extends AsyncDisposable {
  readonly project: Project;
  readonly origin: FileOrigin;
  readonly receiver: WebhookReceiver;
  /** Kubernetes token of the user. */
  readonly signInToken: string;
}

function isValid(delivery: Delivery, secret: string): boolean {
  try {
    verifyDelivery(delivery, secret);
    return true;
  } catch {
    return false;
  }
}

/** Returns a token of a new cluster-admin, who may create projects too. */
async function createUser(cluster: Cluster, namespace: string): Promise<string> {
  await applyObjects(cluster, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: ACCOUNT } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `${namespace}-${ACCOUNT}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }],
    },
  ]);
  // A working day; the default is an hour.
  const { stdout } = await cluster.kubectl(['create', 'token', ACCOUNT, '-n', namespace, '--duration=24h']);
  return stdout.trim();
}

export async function startDevProject(cluster: Cluster, options: DevProjectOptions): Promise<DevProject> {
  const { namespace, sourceFolder, print } = options;
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
  const origin = started.use(await startFileOrigin({ directory: resolve(sourceFolder) }));
  const project = started.use(await createProject(cluster, { namespace, webhookUrl: receiver.url }));
  state.secret = project.webhookSecret;
  const signInToken = await createUser(cluster, namespace);
  const resources = started.move();
  return {
    project,
    origin,
    receiver,
    signInToken,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
