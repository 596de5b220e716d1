/** Each setting of a project and of the operator, in each kind of Job that runs the zipper image. */
import { expect } from 'chai';
import type { ControllerConfig } from '#controller/config/config.ts';
import { decideBucket } from '#controller/zip-bucket/decide.ts';
import { ANNOTATIONS, FINALIZER } from '#crds/api-group.ts';
import type { PodDefaults, ZipProject } from '#crds/zip-project.ts';
import { findQuantity } from '#runtime/kube/quantity.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { judge, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aZipBucket, aZipProject, NOW } from '#test/support/builders/objects.ts';
import { anUpload, recoveringStatus } from '#test/support/builders/zip-job-statuses.ts';

type Template = NonNullable<Job['spec']>['template'];
type Change = Partial<ControllerConfig>;

function createdBy(seen: Parameters<typeof judge>[0], config: Change): Job | undefined {
  const create = judge(seen, config).actions.find((action) => action.kind === 'createJob');
  return create?.job;
}

const KINDS: Readonly<Record<string, (project: ZipProject, config: Change) => Job | undefined>> = {
  archive: (project, config) => createdBy({ project }, config),
  recovery: (project, config) => {
    const attempts = [{ n: 1, podUid: 'uid-p1', finishedAt: ago(5), class: 'transient' }] as const;
    const zipJob = withStatus(recoveringStatus(anUpload('open'), { attempts }));
    return createdBy({ project, zipJob, job: aJob() }, config);
  },
  'bucket test': (project, config) => {
    const bucket = aZipBucket();
    const annotations = { [ANNOTATIONS.testBucket]: 'a' };
    const metadata = { ...bucket.metadata, uid: 'uid-bucket', finalizers: [FINALIZER], annotations };
    const { actions } = decideBucket(
      {
        bucket: { ...bucket, metadata, status: { activeJobs: 0 } },
        unfinishedJobs: 0,
        isHeld: false,
        zipJobs: [],
        project,
        isProjectLeaving: false,
        tests: [],
        isNamespaceTerminating: false,
      },
      NOW,
      aConfig(config),
    );
    return actions.find((action) => action.kind === 'startTest')?.job;
  },
};

function templateOf(kind: string, pods: PodDefaults, config: Change = {}): Template {
  const project = { ...aZipProject(), spec: { pods } };
  const template = KINDS[kind]?.(project, config)?.spec?.template;
  if (!template) throw new Error(`no Job for ${kind}`);
  return template;
}

function resourcesOf({ spec }: Template) {
  return spec?.containers[0]?.resources ?? {};
}

/** Of each limit to its request, as `maxLimitRequestRatio` compares them. Without a request, Kubernetes takes the limit. */
function ratiosOf(pod: Template): Readonly<Record<string, number>> {
  const { requests = {}, limits = {} } = resourcesOf(pod);
  return Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [
      name,
      (findQuantity(limit) ?? NaN) / (findQuantity(requests[name] ?? limit) ?? NaN),
    ]),
  );
}

/** A new field of `spec.pods` needs an entry. */
const OF_PROJECT: Readonly<
  Record<keyof PodDefaults, { readonly set: PodDefaults; readonly expectIn: (pod: Template) => void }>
> = {
  priorityClassName: {
    set: { priorityClassName: 'low' },
    expectIn: ({ spec }) => {
      expect(spec?.priorityClassName).to.equal('low');
    },
  },
  resources: {
    set: { resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } } },
    expectIn: (pod) => {
      const same = { cpu: '1', memory: '1Gi' };
      expect(resourcesOf(pod)).to.deep.equal({ requests: same, limits: same });
    },
  },
  nodeSelector: {
    set: { nodeSelector: { disk: 'fast' } },
    expectIn: ({ spec }) => {
      expect(spec?.nodeSelector).to.include({ disk: 'fast' });
    },
  },
  tolerations: {
    set: { tolerations: [{ key: 'archives', effect: 'NoSchedule' }] },
    expectIn: ({ spec }) => {
      expect(spec?.tolerations).to.deep.include({ key: 'archives', effect: 'NoSchedule' });
    },
  },
};

const POD = {
  labels: { team: 'storage' },
  annotations: { note: 'yes' },
  spec: {
    nodeSelector: { pool: 'zippers' },
    tolerations: [{ key: 'spot', operator: 'Exists' }],
    runtimeClassName: 'gvisor',
  },
  containerSecurityContext: { readOnlyRootFilesystem: true },
};

for (const kind of Object.keys(KINDS)) {
  describe(`the ${kind} Job`, () => {
    for (const [setting, { set, expectIn }] of Object.entries(OF_PROJECT))
      it(`has ${setting} of spec.pods of the project (X47)`, () => {
        expectIn(templateOf(kind, set));
      });

    it("has the operator's settings, which a project cannot take away (X47)", () => {
      const config = {
        zipperPod: POD,
        zipperImage: 'registry.example/zipper:1',
        zipperImagePullPolicy: 'Always',
        zipperImagePullSecrets: ['pull'],
        zipperGraceSeconds: 77,
        zipperEnv: { LOG_LEVEL: 'debug' },
      } as const;
      const { metadata, spec } = templateOf(kind, { nodeSelector: { pool: 'other' } }, config);
      expect(metadata?.labels).to.include(POD.labels);
      expect(metadata?.annotations).to.include(POD.annotations);
      expect(spec).to.deep.include({
        nodeSelector: { pool: 'zippers' },
        runtimeClassName: 'gvisor',
        imagePullSecrets: [{ name: 'pull' }],
        terminationGracePeriodSeconds: 77,
        enableServiceLinks: false,
      });
      expect(spec?.tolerations).to.deep.include({ key: 'spot', operator: 'Exists' });
      const [container] = spec?.containers ?? [];
      expect(container).to.deep.include({
        image: 'registry.example/zipper:1',
        imagePullPolicy: 'Always',
        securityContext: POD.containerSecurityContext,
      });
      expect(container?.env).to.deep.include({ name: 'LOG_LEVEL', value: 'debug' });
    });

    it('keeps within a LimitRange if archives do, whichever of its resources the project sets (X47)', () => {
      for (const resources of [{ limits: { cpu: '200m', memory: '512Mi' } }, { requests: { cpu: '1' } }]) {
        const own = ratiosOf(templateOf(kind, { resources }));
        for (const [name, allowed] of Object.entries(ratiosOf(templateOf('archive', { resources }))))
          expect(own[name], `${name} of ${kind}`).to.be.at.most(allowed);
      }
    });
  });
}

describe('the recovery Job', () => {
  it('is small if the project sets no resources (F25)', () => {
    const { recoveryResources } = aConfig();
    expect(resourcesOf(templateOf('recovery', { priorityClassName: 'low' }))).to.deep.equal(
      recoveryResources,
    );
  });
});
