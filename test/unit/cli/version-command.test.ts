import { expect } from 'chai';
import { createVersionCommand } from '#cli/version-command.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import { runProgram } from './fake-session.ts';

function labelled(version: string, component?: string) {
  return {
    metadata: {
      name: 'x',
      labels: { 'app.kubernetes.io/version': version, 'app.kubernetes.io/component': component },
    },
  };
}

function release(version: string, crds = version) {
  const deployments = ['controller', 'api', 'dashboard'].map((component) => labelled(version, component));
  return { deployments, customresourcedefinitions: [labelled(crds, 'crds')] };
}

type Found = Readonly<Record<string, readonly object[] | KubeErrorCode>>;

async function versionOf(found: Found, ...args: readonly string[]) {
  const paths: string[] = [];
  const kube: KubeClient = {
    server: 'https://kubernetes.test',
    request: ({ path }) => {
      paths.push(path);
      const items = found[path.split('/').at(-1) ?? ''];
      return typeof items === 'object'
        ? Promise.resolve({ metadata: {}, items })
        : Promise.reject(
            new KubeError('User "jane" cannot list it', {
              attempt: 'GET /',
              code: items ?? 'Unreachable',
              user: 'jane',
            }),
          );
    },
    stream: () => Promise.reject(new Error('unused')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const printed = await runProgram({ groups: [createVersionCommand('1.2.3')], kube }, ['version', ...args]);
  return { ...printed, paths };
}

describe('zipjobs version', () => {
  it('shows the versions of the command line, the release and the CRDs (Q-C9)', async () => {
    const { code, output, errors } = await versionOf(release('1.2.3'));
    expect([code, errors]).to.deep.equal([0, '']);
    expect(output).to.equal(
      [
        'Command line:   1.2.3',
        'Controller:     1.2.3',
        'API:            1.2.3',
        'Dashboard:      1.2.3',
        'CRDs:           1.2.3\n',
      ].join('\n'),
    );
    const json = await versionOf(release('1.2.3'), '-o', 'json', '--system-namespace', 'tools');
    expect(JSON.parse(json.output)).to.deep.equal({
      cli: '1.2.3',
      controller: ['1.2.3'],
      api: ['1.2.3'],
      dashboard: ['1.2.3'],
      crds: ['1.2.3'],
    });
    expect(json.paths[0]).to.contain('/namespaces/tools/deployments');
  });

  for (const [version, message] of [
    ['1.2.4', /^This command line \(1\.2\.3\) is older than the release \(1\.2\.4\)/],
    ['1.10.0', /is older than the release/],
    ['1.2.2', /^This command line \(1\.2\.3\) is newer than the release \(1\.2\.2\)/],
    ['0.9.9', /is newer than the release/],
    ['1.2.3-rc.1', /^$/],
  ] as const)
    it(`compares itself with the release ${version} (Q-C9)`, async () => {
      const { code, errors } = await versionOf(release(version));
      expect(errors).to.match(message);
      expect(code).to.equal(0);
    });

  it('says that the CRDs are older than the release (Q-C9)', async () => {
    expect((await versionOf(release('1.2.3', '1.2.0'))).errors).to.match(/^The CRDs \(1\.2\.0\) are older/);
  });

  it('names the permission that it lacks, and shows the rest (Q-C9)', async () => {
    const { code, output, errors } = await versionOf({ ...release('1.2.3'), deployments: 'Forbidden' });
    expect(code).to.equal(0);
    expect(output)
      .to.match(/^API: +-$/m)
      .and.to.match(/^CRDs: +1\.2\.3$/m);
    expect(errors).to.contain('deployments.apps').and.not.to.contain('No release');
  });

  it('says that no release was found (Q-C9)', async () => {
    const { errors } = await versionOf({ deployments: [], customresourcedefinitions: [] });
    expect(errors).to.equal('No release of zipjobs found. Set its namespace with --system-namespace\n');
  });

  it('shows its own version without a cluster, and the error (Q-C9)', async () => {
    const { code, output, errors } = await versionOf({});
    expect(code).to.equal(5);
    expect(output).to.match(/^Command line: +1\.2\.3$/m);
    expect(errors).to.contain('Check the cluster address and the network');
  });
});
