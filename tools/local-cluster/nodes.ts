import type { AddedNode } from './cluster-types.ts';
import type { ControlPlane } from './control-plane.ts';
import type { KubeApi } from './kube-api.ts';
import { createNodeAgent, type NodeAgent, type NodeAgentOptions } from './node-agent/node-agent.ts';
import { untilSchedulable } from './readiness.ts';
import { signedUser } from './user-kubeconfigs.ts';

export interface NodesOptions {
  readonly plane: ControlPlane;
  /** Authenticated as cluster-admin. */
  readonly admin: KubeApi;
  /** The cluster program. */
  readonly binary: string;
  readonly dir: string;
  /** Options that all nodes share. */
  readonly agent: Omit<NodeAgentOptions, 'api' | 'name' | 'witnessApi' | 'dir' | 'launcher'>;
}

interface StartOptions {
  readonly name: string;
  /** While this node is lost, no other node is alive. */
  readonly isOnly: boolean;
}

/** Registers a node and waits until pods can be scheduled on it. */
export async function startNode(
  options: NodesOptions,
  { name, isOnly }: StartOptions,
): Promise<AsyncDisposable & { readonly agent: NodeAgent }> {
  await using started = new AsyncDisposableStack();
  const { plane, admin, binary: launcher, dir } = options;
  const api = await plane.clientOf(`system:node:${name}`);
  started.defer(() => api.close());
  const own = { api, name, dir, launcher, witnessApi: isOnly ? admin : undefined };
  const agent = started.use(await createNodeAgent({ ...options.agent, ...own }));
  await agent.start();
  await untilSchedulable(admin, name);
  const resources = started.move();
  return { agent, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Adds a node with its own pods. `life` stops it with the cluster, unless it is removed before. */
export async function addNode(
  options: NodesOptions,
  { name, life }: { readonly name: string; readonly life: AsyncDisposableStack },
): Promise<AddedNode> {
  await signedUser({ commonName: `system:node:${name}`, organizations: ['system:nodes'] }, options);
  const { agent, ...node } = await startNode(options, { name, isOnly: false });
  life.use(node);
  return {
    agent,
    remove: async () => {
      await node[Symbol.asyncDispose]();
      await options.admin.remove(`/api/v1/nodes/${name}`, {});
    },
  };
}
