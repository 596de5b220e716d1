import { stringify } from 'yaml';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import { fieldAt, listAt, textAt } from '#runtime/kube/fields.ts';
import { addEntry, type DumpContext } from './dump-context.ts';
import { maskValue } from './mask-text.ts';

const NODES = { apiVersion: 'v1', plural: 'nodes', kind: 'Node', scope: 'Cluster' } as const;
const PAGE_SIZE = 200;

/** The fields of a node that affect pods; images, addresses and annotations are omitted. */
function nodeFacts(node: unknown): Readonly<Record<string, unknown>> {
  return {
    name: textAt(node, 'metadata', 'name'),
    labels: fieldAt(node, 'metadata', 'labels'),
    unschedulable: fieldAt(node, 'spec', 'unschedulable') ?? false,
    taints: listAt(node, 'spec', 'taints'),
    kubelet: textAt(node, 'status', 'nodeInfo', 'kubeletVersion'),
    runtime: textAt(node, 'status', 'nodeInfo', 'containerRuntimeVersion'),
    os: textAt(node, 'status', 'nodeInfo', 'osImage'),
    architecture: textAt(node, 'status', 'nodeInfo', 'architecture'),
    allocatable: fieldAt(node, 'status', 'allocatable'),
    conditions: listAt(node, 'status', 'conditions').map(
      (one) => `${textAt(one, 'type')}=${textAt(one, 'status')} ${textAt(one, 'reason')}`,
    ),
  };
}

export async function collectNodes(context: DumpContext): Promise<void> {
  const { kube, limits, problems, signal } = context;
  const nodes: unknown[] = [];
  try {
    for await (const { items } of listPages(kube, NODES, { pageSize: PAGE_SIZE, signal })) {
      nodes.push(...items.map(nodeFacts));
      if (nodes.length >= limits.maxObjects) break;
    }
  } catch (error) {
    problems.failed('cluster/nodes.yaml', error);
  }
  if (nodes.length > 0)
    await addEntry(context, 'cluster/nodes.yaml', stringify(maskValue(nodes), { lineWidth: 0 }));
}
