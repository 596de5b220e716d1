import { type Condition, type ConditionType, findCondition } from '#crds/conditions.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Check } from '../context.ts';
import { type Finding, orOk, warning } from '../finding.ts';
import { KINDS } from '../kinds.ts';
import type { Reader } from '../reader.ts';

/** @throws ForbiddenReadError */
export async function readProjects(reader: Reader): Promise<readonly ZipProject[]> {
  return (await reader.list(KINDS.ZipProject)).items as readonly ZipProject[];
}

/** @throws ForbiddenReadError */
export async function readBuckets(reader: Reader): Promise<readonly ZipBucket[]> {
  return (await reader.list(KINDS.ZipBucket)).items as readonly ZipBucket[];
}

type WithConditions = Pick<ZipProject | ZipBucket, 'metadata'> & {
  readonly status?: { readonly conditions?: readonly Condition[] };
};

function conditionOf(object: WithConditions, type: ConditionType): Condition | undefined {
  return findCondition(object.status?.conditions, type);
}

/** Its zippers cannot run. A project that was created just now has no condition yet. */
export function isNotReady(object: WithConditions): boolean {
  return conditionOf(object, 'Ready')?.status === 'False';
}

/** Its store did not respond, so its jobs run one at a time. */
export function isHeld(bucket: ZipBucket): boolean {
  return conditionOf(bucket, 'Held')?.status === 'True';
}

const UNWANTED: readonly ConditionType[] = ['ObjectsRefused', 'ObjectsLeftOut'];

function describe(condition: Condition | undefined): string {
  return `${condition?.reason ?? ''}: ${condition?.message ?? ''}`;
}

function projectFindings(project: ZipProject): readonly Finding[] {
  const namespace = project.metadata.namespace;
  const remedy = `Follow the message; to see all conditions: kubectl describe zipproject -n ${namespace} project`;
  const unwanted = UNWANTED.filter((type) => conditionOf(project, type)?.status === 'True');
  return [
    ...(isNotReady(project)
      ? [warning(`Project ${namespace} is not ready: ${describe(conditionOf(project, 'Ready'))}`, remedy)]
      : []),
    ...unwanted.map((type) =>
      warning(`Project ${namespace}: ${describe(conditionOf(project, type))}`, remedy),
    ),
  ];
}

function bucketFindings(bucket: ZipBucket): readonly Finding[] {
  const { namespace, name } = bucket.metadata;
  const { service, bucketName } = bucket.spec;
  const test = `zipjobs bucket test -n ${namespace} ${bucketName} --service ${service}`;
  return [
    ...(isNotReady(bucket)
      ? [
          warning(
            `ZipBucket ${namespace}/${name} is not ready: ${describe(conditionOf(bucket, 'Ready'))}`,
            `Correct it with zipjobs bucket update, then: ${test}`,
          ),
        ]
      : []),
    ...(isHeld(bucket)
      ? [
          warning(
            `The store of ZipBucket ${namespace}/${name} does not respond, so one job at a time tries it`,
            `Restore access to the store, then: ${test}`,
          ),
        ]
      : []),
  ];
}

export const projects: Check = {
  name: 'projects',
  run: async ({ reader }) => {
    const all = await readProjects(reader);
    return orOk(all.flatMap(projectFindings), `All ${all.length} projects are ready`);
  },
};

export const buckets: Check = {
  name: 'buckets',
  run: async ({ reader }) => {
    const all = await readBuckets(reader);
    return orOk(all.flatMap(bucketFindings), `None of ${all.length} buckets has failed its last test`);
  },
};
