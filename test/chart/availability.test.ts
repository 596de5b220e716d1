import { expect } from 'chai';
import { readApiConfig } from '#api/config.ts';
import { envOf, find, type KubeObject, plainEnv, podOf, refusalOf, render, type Values } from './render.ts';

type Fields = Readonly<Record<string, unknown>>;

function specOf(object: KubeObject): Fields {
  return object['spec'] as Fields;
}

async function budgets(values: Values): Promise<readonly string[]> {
  return (await render(values))
    .filter(({ kind }) => kind === 'PodDisruptionBudget')
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

const REDIS = { 'redis.url': 'redis://redis' };
const AUTOSCALING = { 'api.autoscaling.enabled': true };

describe('the PodDisruptionBudgets of the chart', function () {
  this.timeout(30 * 60_000);

  it('exist for components with more than one pod, because with one they would block every drain (X25)', async () => {
    expect(await budgets({ 'dashboard.enabled': true })).to.deep.equal(['zipjobs-controller']);
    expect(await budgets({ 'controller.replicas': 1 })).to.deep.equal([]);
    expect(
      await budgets({ ...REDIS, 'api.replicas': 2, 'dashboard.enabled': true, 'dashboard.replicas': 3 }),
    ).to.deep.equal(['zipjobs-api', 'zipjobs-controller', 'zipjobs-dashboard']);
    expect(await budgets({ ...AUTOSCALING, 'controller.replicas': 1 })).to.deep.equal(['zipjobs-api']);
    expect(await budgets({ ...AUTOSCALING, 'api.autoscaling.minReplicas': 1 })).to.deep.equal([
      'zipjobs-controller',
    ]);
  });

  for (const [what, values, expected] of [
    ['one pod is unavailable by default', {}, { maxUnavailable: 1 }],
    ['maxUnavailable is a percentage', { maxUnavailable: '50%' }, { maxUnavailable: '50%' }],
    ['minAvailable is a number', { minAvailable: 1 }, { minAvailable: 1 }],
  ] as const)
    it(`select the pods of the component: ${what} (X25)`, async () => {
      const objects = await render({ 'controller.podDisruptionBudget': values });
      const { matchLabels } = specOf(find(objects, 'Deployment', 'zipjobs-controller'))['selector'] as Fields;
      expect(specOf(find(objects, 'PodDisruptionBudget', 'zipjobs-controller'))).to.deep.equal({
        ...expected,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector: { matchLabels },
      });
    });

  it('refuse two limits at once (X25)', async () => {
    const error = await refusalOf({
      'controller.podDisruptionBudget': { minAvailable: 1, maxUnavailable: 1 },
    });
    expect(error).to.contain('sets minAvailable and maxUnavailable');
  });
});

describe('the pods of a component', function () {
  this.timeout(30 * 60_000);

  it('prefer different nodes, unless the operator sets constraints (X25)', async () => {
    const own = [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }];
    const objects = await render({
      'dashboard.enabled': true,
      'api.podTemplate.spec.topologySpreadConstraints': own,
    });
    expect(podOf(find(objects, 'Deployment', 'zipjobs-api'))['topologySpreadConstraints']).to.deep.equal(own);
    for (const component of ['controller', 'dashboard']) {
      const deployment = find(objects, 'Deployment', `zipjobs-${component}`);
      expect(podOf(deployment)['topologySpreadConstraints']).to.deep.equal([
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          matchLabelKeys: ['pod-template-hash'],
          labelSelector: specOf(deployment)['selector'],
        },
      ]);
    }
    expect(podOf(find(objects, 'Job', 'zipjobs-uninstall'))).not.to.have.property(
      'topologySpreadConstraints',
    );
  });
});

describe('the HorizontalPodAutoscaler of the API', function () {
  this.timeout(30 * 60_000);

  it('replaces the number of replicas (X25)', async () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 600 } };
    const objects = await render({
      ...AUTOSCALING,
      'api.autoscaling.maxReplicas': 4,
      'api.autoscaling.targetMemoryUtilizationPercentage': 70,
      'api.autoscaling.behavior': behavior,
    });
    expect(specOf(find(objects, 'Deployment', 'zipjobs-api'))).not.to.have.property('replicas');
    function percent(name: string, averageUtilization: number) {
      return {
        type: 'Resource',
        resource: { name, target: { type: 'Utilization', averageUtilization } },
      };
    }
    expect(specOf(find(objects, 'HorizontalPodAutoscaler', 'zipjobs-api'))).to.deep.equal({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'zipjobs-api' },
      minReplicas: 2,
      maxReplicas: 4,
      metrics: [percent('cpu', 80), percent('memory', 70)],
      behavior,
    });
  });

  for (const [what, targets, message] of [
    [
      'no target, because Kubernetes would scale by CPU',
      { targetCPUUtilizationPercentage: 0, targetMemoryUtilizationPercentage: 0 },
      'are both 0',
    ],
    ['a minimum above the maximum', { minReplicas: 7, maxReplicas: 6 }, 'minReplicas is 7 and maxReplicas 6'],
  ] as const)
    it(`refuses ${what} (BC16)`, async () => {
      expect(await refusalOf({ 'api.autoscaling': { enabled: true, ...targets } })).to.contain(message);
    });

  /** What the API server records of an apply or an update. */
  function byManager(operation: string, fields: Fields, manager = 'helm'): Fields {
    return {
      manager,
      operation,
      fieldsV1: fields,
    };
  }
  const WITH_REPLICAS = { 'f:spec': { 'f:replicas': {}, 'f:template': {} } };
  const WITHOUT = { 'f:spec': { 'f:template': {} } };
  for (const [what, live, kept] of [
    ['there is no Deployment yet', {}, ''],
    [
      'Helm updates it',
      { spec: { replicas: 4 }, metadata: { managedFields: [byManager('Update', WITH_REPLICAS)] } },
      '4',
    ],
    [
      'Helm applied the number',
      { spec: { replicas: 4 }, metadata: { managedFields: [byManager('Apply', WITH_REPLICAS)] } },
      '4',
    ],
    [
      'the autoscaler has taken the number over from an apply',
      {
        spec: { replicas: 5 },
        metadata: {
          managedFields: [
            byManager('Apply', WITHOUT),
            byManager('Update', WITH_REPLICAS, 'kube-controller-manager'),
          ],
        },
      },
      '',
    ],
    [
      'the autoscaler has taken the number over from an apply of Flux',
      {
        spec: { replicas: 5 },
        metadata: { managedFields: [byManager('Apply', WITHOUT, 'helm-controller')] },
      },
      '',
    ],
    [
      'Helm updates it, and another manager applies a label',
      {
        spec: { replicas: 4 },
        metadata: {
          managedFields: [
            byManager('Update', WITH_REPLICAS),
            byManager('Apply', { 'f:metadata': { 'f:labels': { 'f:team': {} } } }, 'labeler'),
          ],
        },
      },
      '4',
    ],
    [
      'no pod runs, which would disable the autoscaler',
      { spec: { replicas: 0 }, metadata: { managedFields: [] } },
      '2',
    ],
  ] as const)
    it(`keeps the pods that run only while Helm would remove their number: ${what} (BC6)`, async () => {
      const included = `include "zipjobs.keptReplicas" (list (fromJson ${JSON.stringify(JSON.stringify(live))}) 2)`;
      const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: kept}, data: {replicas: {{ ${included} | quote }}}}`;
      const objects = await render({ ...AUTOSCALING, extraObjects: [text] });
      expect(find(objects, 'ConfigMap', 'kept')['data']).to.deep.equal({ replicas: kept });
    });

  it('does not exist by default (X25)', async () => {
    const objects = await render();
    expect(objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).to.deep.equal([]);
    expect(specOf(find(objects, 'Deployment', 'zipjobs-api'))).to.include({ replicas: 1 });
  });
});

describe('API pods without Redis', function () {
  this.timeout(30 * 60_000);

  for (const [what, values, replicas] of [
    ['one pod', {}, 1],
    ['no pod', { 'api.replicas': 0 }, 1],
    ['three pods', { 'api.replicas': 3 }, 3],
    ['autoscaling, by its maximum', { ...AUTOSCALING, 'api.autoscaling.maxReplicas': 5 }, 5],
    ['Redis, which counts for all', { ...REDIS, 'api.replicas': 3 }, 1],
  ] as const)
    it(`divide the rate limits among themselves: ${what} (X25)`, async () => {
      const config = readApiConfig(plainEnv(envOf(await render(values), 'api')));
      expect(config.apiReplicas).to.equal(replicas);
    });
});
