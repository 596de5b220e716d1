import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { CLUSTER_PROGRAM } from '#tools/local-cluster/go-programs.ts';
import { NODE_PROGRAM } from '#tools/real-node/node-program.ts';

/** Most other packages import these. */
const SHARED = [
  'golang.org/x/net',
  'golang.org/x/sys',
  'google.golang.org/grpc',
  'k8s.io/api',
  'k8s.io/apiextensions-apiserver',
  'k8s.io/apimachinery',
  'k8s.io/client-go',
  'k8s.io/component-base',
  'k8s.io/kubectl',
  'k8s.io/kubernetes',
];

async function versions(folder: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(folder, 'go.mod'), 'utf8');
  const lines = [...text.matchAll(/^\s+(\S+) (?:=> \S+ )?(v\S+)/gm)];
  return new Map(lines.map(([, name = '', version = '']) => [name, version]));
}

describe('the Go module of the real node', () => {
  it('has the Kubernetes of the control plane, whose compiled packages it uses', async () => {
    const [plane, node] = await Promise.all([
      versions(CLUSTER_PROGRAM.folder),
      versions(NODE_PROGRAM.folder),
    ]);
    for (const name of SHARED) {
      expect(node.get(name), name).to.be.a('string');
      expect(node.get(name), name).to.equal(plane.get(name));
    }
  });
});
