import { expect } from 'chai';
import type { ZipperPodValues } from '#controller/config/zipper-pod.ts';
import { settingsIn } from '#controller/zip-job/policies/pod-settings.ts';
import type { PodDefaults } from '#crds/zip-project.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { judge } from '#test/support/builders/judge.ts';
import { aZipJob, aZipProject } from '#test/support/builders/objects.ts';

function inProject(pods: PodDefaults) {
  return { ...aZipProject(), spec: { pods } };
}

describe('settingsIn', () => {
  const operators: ZipperPodValues = {
    labels: { team: 'storage' },
    annotations: {},
    spec: {
      nodeSelector: { pool: 'zippers' },
      tolerations: [{ key: 'spot', operator: 'Exists' }],
      runtimeClassName: 'gvisor',
    },
    containerSecurityContext: {},
  };
  const chart = aConfig({
    zipperPriorityClassName: 'normal',
    zipperPod: operators,
    zipperResources: { requests: { cpu: '1' }, limits: { cpu: '2' } },
  });

  it('uses the settings of the chart if the project sets none', () => {
    expect(settingsIn(aZipProject(), chart)).to.equal(chart);
    expect(settingsIn(undefined, chart)).to.equal(chart);
  });

  it('prefers the settings of the project, except for the nodes that the chart requires', () => {
    const project = inProject({
      priorityClassName: 'low',
      resources: { limits: { cpu: '4' } },
      nodeSelector: { pool: 'others', disk: 'fast' },
      tolerations: [{ key: 'archives', effect: 'NoSchedule' }],
    });
    expect(settingsIn(project, chart)).to.deep.include({
      zipperPriorityClassName: 'low',
      zipperPod: {
        ...operators,
        spec: {
          runtimeClassName: 'gvisor',
          nodeSelector: { pool: 'zippers', disk: 'fast' },
          tolerations: [
            { key: 'spot', operator: 'Exists' },
            { key: 'archives', effect: 'NoSchedule' },
          ],
        },
      },
      zipperResources: { requests: { cpu: '1' }, limits: { cpu: '4' } },
    });
  });

  it('gives precedence to the ZipJob', () => {
    const project = inProject({ priorityClassName: 'low', resources: { limits: { memory: '1Gi' } } });
    function podOf(spec: Parameters<typeof aZipJob>[0] = {}) {
      const { actions } = judge({ project, zipJob: aZipJob(spec) });
      const create = actions.find((action) => action.kind === 'createJob');
      return create?.job.spec?.template.spec;
    }
    const own = podOf({ spec: { priorityClassName: 'high', resources: { limits: { memory: '2Gi' } } } });
    expect(own?.priorityClassName).to.equal('high');
    expect(own?.containers[0]?.resources?.limits).to.deep.equal({ memory: '2Gi' });
  });
});
