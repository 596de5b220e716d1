/** Jobs after an upgrade of the release that changes everything that the table of the chart takes from the values. */
import { expect } from 'chai';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { MIRROR, namesOf, otherNames } from '#test/support/image-names.ts';
import { until } from '#test/support/until.ts';
import { refusalOf } from './bad-jobs.ts';
import { fullJob, type JobBody, tryJob } from './job-body.ts';
import { installedConfig } from './release.ts';
import {
  accept,
  corePath,
  expectRefusal,
  jobsPath,
  OWN,
  type World,
  ZIP_BUCKET,
  type ZipperPod,
} from './world.ts';

const TAG = '9.9.9';

const COMMON = { labels: { 'example.com/team': 'storage' }, annotations: { 'example.com/cost': '7' } };

const VALUES = {
  commonLabels: COMMON.labels,
  commonAnnotations: COMMON.annotations,
  'zipper.image.tag': TAG,
  'policies.zipperImageMirrors': [MIRROR],
  'global.compatibility.openshift.adaptSecurityContext': 'force',
  'zipper.podTemplate.metadata.labels': { 'sidecar.istio.io/inject': 'false' },
  'zipper.podTemplate.metadata.annotations': { 'example.com/note': 'a "quoted" text, 100 % \\ ok' },
  'zipper.podTemplate.spec.runtimeClassName': 'gvisor',
  'zipper.podTemplate.spec.affinity': {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: {
            topologyKey: 'kubernetes.io/hostname',
            labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'zipjobs-zipper' } },
          },
        },
      ],
    },
  },
  'zipper.podTemplate.spec.topologySpreadConstraints': [
    { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
  ],
  'zipper.podTemplate.spec.securityContext': { fsGroupChangePolicy: 'OnRootMismatch' },
};

type Template = JobBody['spec']['template'];

export function describeUpgradedRelease(theWorld: () => World): void {
  let world: World;
  /** Of the controller before the upgrade. */
  let created: ZipperPod;
  let previous: Template;
  let job: JobBody;

  before(async () => {
    world = theWorld();
    const zipJob = await world.createZipJob(OWN);
    created = await world.createZipper(OWN);
    previous = fullJob(world, zipJob).spec.template;
    await world.upgrade(VALUES);
    const config = await installedConfig(world.cluster);
    job = fullJob({ jobOf: (one) => ({ ...archiveJob(one, ZIP_BUCKET, config) }) }, zipJob);
    await until('Jobs of the new values to be accepted', async () => {
      const { status, message } = await tryJob(world, job);
      return status === 201 || !message.includes('ValidatingAdmissionPolicy');
    });
  });

  function tryChanged(change: (template: Template) => void) {
    const changed = structuredClone(job);
    change(changed.spec.template);
    return tryJob(world, changed);
  }
  function tryImage(image: string) {
    return tryChanged(({ spec }) => {
      spec.containers[0]['image'] = image;
    });
  }

  it('include the new Job', async () => {
    accept(await tryJob(world, job));
  });

  it('do not include one with the previous image, but existing ones stay valid, so that their metadata can still be changed (N9)', async () => {
    expectRefusal(
      await tryImage(String(previous.spec.containers[0]['image'])),
      refusalOf('container fields', 'image'),
    );
    const path = `${jobsPath(OWN)}/${created.zipJob}`;
    accept(await world.editor.request('PATCH', path, { body: { metadata: { labels: { value: 'after' } } } }));
  });

  it("may have an image from the operator's mirrors, with the same tag (X9)", async () => {
    const [repository = ''] = String(job.spec.template.spec.containers[0]['image']).split(':');
    for (const name of [repository, MIRROR])
      for (const image of namesOf(name, TAG)) accept(await tryImage(image));
    for (const image of [...otherNames(repository, TAG), ...otherNames(MIRROR, TAG)])
      expectRefusal(await tryImage(image), refusalOf('container fields', 'image'));
  });

  it('have no user and group IDs on OpenShift, where others are refused (X5)', async () => {
    expect(job.spec.template.spec['securityContext']).not.to.have.any.keys(
      'runAsUser',
      'runAsGroup',
      'fsGroup',
    );
    const refused = await tryChanged(({ spec }) => {
      spec['securityContext'] = previous.spec['securityContext'];
    });
    expectRefusal(refused, refusalOf('pod fields', 'securityContext'));
  });

  it('have the labels and annotations of all objects of the operator, and so have their pods (X41)', async () => {
    expect(job.spec.template.metadata).to.have.deep.nested.property('labels.example\\.com/team', 'storage');
    const refused = await tryChanged(({ metadata }) => delete metadata.labels['example.com/team']);
    expectRefusal(refused, refusalOf('pod labels', 'example.com/team'));
    accept(await tryJob(world, { ...job, metadata: { ...job.metadata, ...COMMON } }));
  });

  it("have the operator's labels, annotations and pod fields, and no others (X26)", async () => {
    expect(job.spec.template.spec).to.have.nested.property(
      'securityContext.fsGroupChangePolicy',
      'OnRootMismatch',
    );
    for (const [change, message] of [
      [
        ({ metadata }) => delete metadata.labels['sidecar.istio.io/inject'],
        refusalOf('pod labels', 'sidecar.istio.io/inject'),
      ],
      [
        ({ metadata }) => (metadata.annotations['example.com/note'] = 'x'),
        refusalOf('pod annotations', 'example.com/note'),
      ],
      [({ spec }) => delete spec['runtimeClassName'], refusalOf('pod fields', 'runtimeClassName')],
      [({ spec }) => (spec['runtimeClassName'] = 'other'), refusalOf('pod fields', 'runtimeClassName')],
      [({ spec }) => delete spec['affinity'], refusalOf('pod fields', 'affinity')],
      [
        ({ spec }) => delete spec['topologySpreadConstraints'],
        refusalOf('pod fields', 'topologySpreadConstraints'),
      ],
    ] as readonly [(template: Template) => void, string][])
      expectRefusal(await tryChanged(change), message);
  });

  describe('and the objects of a project', () => {
    const path = `${corePath('default', 'serviceaccounts')}/zipjobs-zipper`;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', automountServiceAccountToken: false };
    const metadata = { name: 'zipjobs-zipper', namespace: 'default' };
    function apply(more: object) {
      return world.controller.request('PATCH', `${path}?fieldManager=zipjobs-controller&force=true`, {
        patch: 'apply',
        body: { ...account, metadata: { ...metadata, ...more } },
      });
    }

    it('have them too, and lose those that the values no longer contain (X41)', async () => {
      accept(await apply(COMMON));
      const { body } = accept(await apply({}));
      expect(body['metadata']).not.to.have.any.keys('labels', 'annotations');
    });

    it('keep the labels and annotations of others (X41)', async () => {
      accept(await apply(COMMON));
      const others = { labels: { 'example.com/other': 'a' }, annotations: { 'example.com/other': 'a' } };
      accept(await world.admin.request('PATCH', path, { body: { metadata: others } }));
      for (const [field, message] of [
        ['labels', 'the controller may set only its own labels of the objects of a project'],
        [
          'annotations',
          'the controller may not change annotations or finalizers of the objects of a project',
        ],
      ] as const) {
        const change = { metadata: { [field]: { 'example.com/other': null } } };
        expectRefusal(await world.controller.request('PATCH', path, { body: change }), message);
      }
      const { body } = accept(await apply({}));
      expect(body['metadata']).to.deep.include(others);
    });
  });
}
