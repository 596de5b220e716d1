import { expect } from 'chai';
import { readControllerConfig } from '#controller/config/config.ts';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { archiveJob, recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import type { Attempt } from '#crds/zip-job.ts';
import { bucket, zipJob } from './example-job.ts';
import { type Container, find, type KubeObject, type PodSpec, podOf, render } from './render.ts';

type Fields = Readonly<Record<string, unknown>>;

function zipperPods(): Readonly<Record<string, PodSpec>> {
  const config = readControllerConfig({ POD_NAME: 'p', POD_NAMESPACE: 'n', ZIPPER_IMAGE: 'zipjobs-zipper' });
  const attempt: Attempt = { n: 1, podUid: 'u' };
  const upload = { uploadId: 'u', state: 'open', partSize: 1 } as const;
  function specOf(job: unknown): PodSpec {
    return podOf(job as KubeObject);
  }
  return {
    'an archive pod': specOf(archiveJob(zipJob, bucket, config)),
    'a recovery pod': specOf(recoveryJob(zipJob, { attempt, upload, bucket, now: new Date() }, config)),
    'the pod of a bucket test': specOf(testJob(bucket, '1', config)),
  };
}

const VOLUMES = ['configMap', 'secret', 'emptyDir', 'projected', 'downwardAPI'];

/** The profile `restricted` of the Pod Security Standards. */
function expectRestricted(pod: PodSpec): void {
  const context = pod['securityContext'] as Fields;
  expect(context['runAsNonRoot']).to.equal(true);
  expect(context['seccompProfile']).to.deep.equal({ type: 'RuntimeDefault' });
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod).not.to.have.property(field);
  for (const { name: _name, ...source } of pod.volumes ?? [])
    expect(VOLUMES).to.include.members(Object.keys(source));
  for (const container of pod.containers) {
    const own = container['securityContext'] as Fields;
    expect(own['allowPrivilegeEscalation']).to.equal(false);
    expect(own['capabilities']).to.deep.equal({ drop: ['ALL'] });
    expect(own).not.to.have.any.keys('privileged', 'runAsNonRoot', 'runAsUser', 'seccompProfile');
    for (const port of container.ports ?? []) expect(port).not.to.have.property('hostPort');
  }
}

function expectBeyondRestricted(pod: PodSpec): void {
  expect(pod['securityContext']).to.include({ runAsUser: 65_532, runAsGroup: 65_532 });
  for (const container of pod.containers) {
    expect(container['securityContext']).to.include({ readOnlyRootFilesystem: true });
    expect(container).not.to.have.any.keys('command', 'args');
    const { limits, requests } = container['resources'] as Readonly<Record<string, Fields>>;
    for (const resources of [limits, requests])
      expect(resources).to.have.all.keys('cpu', 'memory', 'ephemeral-storage');
  }
}

function portOf(container: Container, name: string): number | undefined {
  return container.ports?.find((port) => port.name === name)?.containerPort;
}

describe('the pods of the chart', function () {
  this.timeout(30 * 60_000);
  let objects: readonly KubeObject[];
  let pods: Readonly<Record<string, PodSpec>>;
  before(async () => {
    objects = await render({
      'dashboard.enabled': true,
      'history.postgres': { host: 'postgres.example.com', existingSecret: 'zipjobs-history' },
    });
    pods = {
      'an API pod': podOf(find(objects, 'Deployment', 'zipjobs-api')),
      'a dashboard pod': podOf(find(objects, 'Deployment', 'zipjobs-dashboard')),
      'a controller pod': podOf(find(objects, 'Deployment', 'zipjobs-controller')),
      'the uninstall pod': podOf(find(objects, 'Job', 'zipjobs-uninstall')),
      'the migration pod': podOf(find(objects, 'Job', 'zipjobs-migrate')),
      'the pod of helm test': find(objects, 'Pod', 'zipjobs-test')['spec'] as PodSpec,
      ...zipperPods(),
    };
  });

  it('are admitted by Pod Security level restricted (P1)', () => {
    expect(Object.keys(pods)).to.have.length(9);
    for (const pod of Object.values(pods)) expectRestricted(pod);
  });

  it('have read-only images, no root user, no shell, and limits (P2)', () => {
    const {
      'the uninstall pod': removal,
      'the migration pod': migration,
      'the pod of helm test': test,
      ...others
    } = pods;
    for (const pod of Object.values(others)) expectBeyondRestricted(pod);
    // Other scripts of the images.
    for (const [pod, script] of [
      [removal, 'controller/programs/uninstall/main.ts'],
      [migration, 'controller/history/migrate/main.ts'],
      [test, 'api/programs/release-check/main.ts'],
    ] as const) {
      const withoutCommand = pod?.containers.map(({ command, ...container }) => {
        expect(command).to.deep.equal(['node', script]);
        return container;
      });
      expectBeyondRestricted({ ...pod, containers: withoutCommand ?? [] });
    }
  });

  it('are the only pods that the chart starts', () => {
    const kinds = ['Pod', 'Job', 'CronJob', 'DaemonSet', 'StatefulSet', 'ReplicaSet'];
    const started = objects.filter(({ kind }) => kinds.includes(kind));
    expect(started.map(({ metadata }) => metadata.name)).to.have.members([
      'zipjobs-uninstall',
      'zipjobs-migrate',
      'zipjobs-test',
    ]);
    // An installation without Helm's hooks starts none of them.
    for (const { metadata } of started) expect(metadata.annotations).to.have.property('helm.sh/hook');
    expect(objects.filter(({ kind }) => kind === 'Deployment')).to.have.length(3);
  });

  it('mount a token only if they use the API server (P2, P3)', () => {
    const { 'a recovery pod': recover, 'an archive pod': archive, 'the pod of a bucket test': test } = pods;
    const release = pods['the pod of helm test'];
    expect(release).to.include({ serviceAccountName: 'zipjobs-test', automountServiceAccountToken: true });
    expect(release).not.to.have.property('volumes');
    expect(recover).to.include({ automountServiceAccountToken: false });
    expect(archive).to.include({ automountServiceAccountToken: false });
    expect(test).to.include({ automountServiceAccountToken: false });
    for (const pod of [recover, test]) expect(JSON.stringify(pod)).not.to.contain('serviceAccountToken"');
    const token = '"serviceAccountToken":{"path":"token","expirationSeconds":600}';
    expect(JSON.stringify(archive)).to.contain(token);
  });

  it('are probed on their admin port', () => {
    for (const name of ['an API pod', 'a dashboard pod', 'a controller pod'])
      for (const container of pods[name]?.containers ?? []) {
        expect(portOf(container, 'admin')).to.equal(9090);
        for (const [probe, path] of [
          ['startupProbe', '/healthz'],
          ['livenessProbe', '/healthz'],
          ['readinessProbe', '/readyz'],
        ] as const)
          expect((container[probe] as Fields)['httpGet']).to.deep.equal({ path, port: 'admin' });
      }
  });

  it('listen on all addresses, because kubectl port-forward connects to localhost (X1)', () => {
    for (const [name, pod] of Object.entries(pods))
      for (const container of pod.containers)
        expect(
          (container.env ?? []).map((variable) => variable.name),
          name,
        ).not.to.include('HOST');
  });

  it('have a longer grace period than their processes need', () => {
    expect(pods['an API pod']?.['terminationGracePeriodSeconds']).to.equal(20);
    expect(pods['a dashboard pod']?.['terminationGracePeriodSeconds']).to.equal(20);
    expect(pods['a controller pod']?.['terminationGracePeriodSeconds']).to.equal(30);
    expect(pods['an archive pod']?.['terminationGracePeriodSeconds']).to.equal(30);
  });

  it('have selector labels that never change, and the common labels, which a podTemplate can replace', async () => {
    const rendered = await render({
      commonLabels: { team: 'storage', tier: 'all' },
      'api.podTemplate.metadata.labels': { mesh: 'off', tier: 'front' },
    });
    const deployment = find(rendered, 'Deployment', 'zipjobs-api');
    const spec = deployment['spec'] as {
      selector: { matchLabels: Fields };
      template: { metadata: { labels: Fields } };
    };
    const selector = {
      'app.kubernetes.io/name': 'zipjobs',
      'app.kubernetes.io/instance': 'zipjobs',
      'app.kubernetes.io/component': 'api',
    };
    expect(spec.selector.matchLabels).to.deep.equal(selector);
    expect(spec.template.metadata.labels).to.include({
      ...selector,
      team: 'storage',
      mesh: 'off',
      tier: 'front',
    });
    expect(find(rendered, 'Service', 'zipjobs-api')['spec']).to.deep.include({ selector });
  });

  it('run images from the registry by digest, otherwise by tag', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const rendered = await render({
      'image.registry': 'registry.example.com/zip/',
      'image.tag': '1.2.3',
      'api.image.digest': digest,
      'controller.image.tag': '4.5.6',
    });
    function imageOf(name: string) {
      return podOf(find(rendered, 'Deployment', name)).containers[0]?.image;
    }
    expect(imageOf('zipjobs-api')).to.equal(`registry.example.com/zip/zipjobs-api@${digest}`);
    expect(imageOf('zipjobs-controller')).to.equal('registry.example.com/zip/zipjobs-controller:4.5.6');
    const env = podOf(find(rendered, 'Deployment', 'zipjobs-controller')).containers[0]?.env ?? [];
    const image = 'registry.example.com/zip/zipjobs-zipper:1.2.3';
    expect(env).to.deep.include({ name: 'ZIPPER_IMAGE', value: image });
  });
});
