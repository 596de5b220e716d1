import { expect } from 'chai';
import {
  goModuleVersion,
  supportTable,
  withKubeVersion,
  withOldest,
  withSupport,
} from '#scripts/kubernetes-support.ts';
import { kubernetesVersionProblems } from '#scripts/kubernetes-versions.ts';
import {
  chosenKubernetes,
  goModuleFolder,
  KUBERNETES_VERSIONS,
  kubernetesOf,
  minorNumber,
} from '#tools/local-cluster/kubernetes-versions.ts';

describe('the versions of Kubernetes', () => {
  it('are those of one list in the chart, the docs and the Go modules (X52)', () => {
    expect(kubernetesVersionProblems()).to.deep.equal([]);
  });

  it('have one of each role, with the oldest and the newest at the ends (X52)', () => {
    const roles = KUBERNETES_VERSIONS.map(({ role }) => role);
    expect(roles).to.have.members(['oldest', 'default', 'between', 'newest']);
    const minors = KUBERNETES_VERSIONS.map(({ version }) => minorNumber(version));
    expect(minorNumber(kubernetesOf('oldest').version)).to.equal(Math.min(...minors));
    expect(minorNumber(kubernetesOf('newest').version)).to.equal(Math.max(...minors));
    expect(new Set(minors).size).to.equal(minors.length);
  });

  it('are chosen by role or number, and an unknown one is refused with those that exist (X52)', () => {
    expect(chosenKubernetes({}).role).to.equal('default');
    expect(chosenKubernetes({ ZIPJOBS_KUBERNETES: 'oldest' })).to.equal(kubernetesOf('oldest'));
    const { version } = kubernetesOf('newest');
    const minor = `1.${minorNumber(version)}`;
    expect(chosenKubernetes({ ZIPJOBS_KUBERNETES: minor }).version).to.equal(version);
    expect(goModuleFolder(kubernetesOf('newest'))).to.equal(`tools/local-cluster/kubernetes/${minor}`);
    expect(() => chosenKubernetes({ ZIPJOBS_KUBERNETES: '1.2' }))
      .to.throw('ZIPJOBS_KUBERNETES is "1.2". Set it to one of: ')
      .and.to.have.property('message')
      .that.contains(`${minor} (newest)`);
  });

  it('are written into the table, the requirements and the chart (X52)', () => {
    const table = supportTable([
      { role: 'oldest', version: '1.9.13' },
      { role: 'default', version: '1.11.4' },
    ]);
    expect(table).to.equal(
      [
        '| Kubernetes | integration tests run on |',
        '|---|---|',
        '| 1.11 | 1.11.4, for every change |',
        '| 1.10 | between tested versions |',
        '| 1.9 | 1.9.13, by `npm run test:extended` |',
      ].join('\n'),
    );
    const [begin, end] = ['<!-- begin Kubernetes versions -->', '<!-- end Kubernetes versions -->'];
    expect(withSupport(`a\n${begin}\nold\n${end}\nb`, 'T')).to.equal(`a\n${begin}\nT\n${end}\nb`);
    expect(() => withSupport('a', 'T')).to.throw('has no block');
    expect(
      withOldest(
        'Kubernetes 1.1 or newer, Helm 3, Kubernetes 1.1 or newer and Helm 3, Kubernetes 1.5 or newer',
        '1.9',
      ),
    ).to.equal(
      'Kubernetes 1.9 or newer, Helm 3, Kubernetes 1.9 or newer and Helm 3, Kubernetes 1.5 or newer',
    );
    expect(withKubeVersion('a: b\nkubeVersion: ">=1.1.0-0"\n', '1.9')).to.equal(
      'a: b\nkubeVersion: ">=1.9.0-0"\n',
    );
    expect(goModuleVersion('require k8s.io/kubernetes v1.9.13\n')).to.equal('1.9.13');
    expect(goModuleVersion('require (\n\tk8s.io/api v0.9.13\n\tk8s.io/kubernetes v1.9.13\n)\n')).to.equal(
      '1.9.13',
    );
  });
});
