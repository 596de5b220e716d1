import { readControllerConfig } from '#controller/config/config.ts';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { archiveJob, recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { bucket, zipJob } from './example-job.ts';
import { envOf, type KubeObject, type PodSpec, plainEnv, render, type Values } from './render.ts';

/** With every optional pod. */
const ALL: Values = {
  'dashboard.enabled': true,
  'history.postgres': { host: 'postgres.example.com', existingSecret: 'zipjobs-history' },
};

export interface PodTemplate {
  readonly metadata: KubeObject['metadata'];
  readonly spec: PodSpec;
}

/** The Jobs that the controller of this release creates. */
export function zipperJobs(objects: readonly KubeObject[]): readonly Job[] {
  const config = readControllerConfig(plainEnv(envOf(objects, 'controller')));
  const attempt = { n: 1, podUid: 'u' };
  const upload = { uploadId: 'u', state: 'open', partSize: 1 } as const;
  return [
    archiveJob(zipJob, bucket, config),
    recoveryJob(zipJob, { attempt, upload, bucket, now: new Date() }, config),
    testJob(bucket, '1', config),
  ];
}

/** The template of the pods of an object, or the pod itself; undefined if it has none. */
export function podTemplateOf({ kind, metadata, spec }: KubeObject): PodTemplate | undefined {
  if (kind === 'Pod') return { metadata, spec: spec as PodSpec };
  return (spec as { readonly template?: PodTemplate } | undefined)?.template;
}

/** Every pod of the chart and of its controller, by the name of its only container, or `recover` and `check-bucket`. */
export async function allPods(values: Values = {}): Promise<ReadonlyMap<string, PodTemplate>> {
  const objects = await render({ ...ALL, ...values });
  const all = [...objects, ...(zipperJobs(objects) as unknown as readonly KubeObject[])];
  return new Map(
    all.flatMap((object) => {
      const template = podTemplateOf(object);
      const name = template?.metadata.labels?.['app.kubernetes.io/component'];
      return template === undefined || name === undefined ? [] : [[name, template] as const];
    }),
  );
}

/** The keys of `allPods`. */
export const POD_NAMES = [
  'api',
  'archive',
  'check-bucket',
  'controller',
  'dashboard',
  'migrate',
  'recover',
  'test',
  'uninstall',
];
