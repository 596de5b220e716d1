import { API_GROUP, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { type ObjectMeta, type OwnerReference, ownerReferenceOf } from '#crds/object-meta.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import type { KubeObject } from '#runtime/kube/types.ts';

/** API group of each kind of owner. */
const GROUPS = { ZipJob: API_GROUP, ZipBucket: API_GROUP, Job: 'batch' } as const;
export type OwnerKind = keyof typeof GROUPS;

/**
 * True for a Job of zippers. The label of our objects is no evidence, because anyone may set it. Admission policies let only the
 * controller create Jobs with this service account.
 */
export function isZipperJob({ spec }: Pick<Job, 'spec'>): boolean {
  return spec?.template.spec?.serviceAccountName === ZIPPER_SERVICE_ACCOUNT;
}

/** True for a pod of zippers. Admission policies let only the Job controller create pods with this service account. */
export function isZipperPod({ spec }: Pick<Pod, 'spec'>): boolean {
  return spec?.serviceAccountName === ZIPPER_SERVICE_ACCOUNT;
}

/** For an object that ours controls, and with which Kubernetes deletes it. @throws Error if ours was never stored */
export function controllerReferenceOf(...owner: Parameters<typeof ownerReferenceOf>): OwnerReference {
  return { ...ownerReferenceOf(...owner), controller: true };
}

/** The owner of this kind that controls the object. The API server allows one controlling owner. */
export function controllerOf({ metadata }: KubeObject, kind: OwnerKind): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    (owner) =>
      owner.controller === true && owner.kind === kind && owner.apiVersion.startsWith(`${GROUPS[kind]}/`),
  );
}

/** Values of an index by the uid of the owner. A uid alone says nothing: others may write it into their objects. */
export function controllerUids(object: KubeObject, kind: OwnerKind): readonly string[] {
  const uid = controllerOf(object, kind)?.uid;
  return uid === undefined ? [] : [uid];
}

/** The fields that identify an owner. */
export type Owner = Pick<ObjectMeta, 'namespace' | 'name' | 'uid'>;

/** True if the owner controls the object. Owners are in the same namespace; a reference to any other has no meaning. */
export function isControlledBy(object: KubeObject, kind: OwnerKind, owner: Owner): boolean {
  const reference = controllerOf(object, kind);
  return (
    reference !== undefined &&
    owner.uid !== undefined &&
    reference.uid === owner.uid &&
    reference.name === owner.name &&
    object.metadata.namespace === owner.namespace
  );
}

/** True for the Job in the status of the ZipJob. The deletion of the ZipJob with `--cascade=orphan` took its owner. */
function isOrphanOf(job: Job, { metadata, status }: Pick<ZipJob, 'metadata' | 'status'>): boolean {
  return (
    (job.metadata.ownerReferences ?? []).length === 0 &&
    job.metadata.namespace === metadata.namespace &&
    job.metadata.uid !== undefined &&
    job.metadata.uid === status?.job?.uid
  );
}

/** True for a Job that the controller created for this ZipJob. */
export function isOwnedBy(job: Job, zipJob: Pick<ZipJob, 'metadata' | 'status'>): boolean {
  return isZipperJob(job) && (isControlledBy(job, 'ZipJob', zipJob.metadata) || isOrphanOf(job, zipJob));
}

/** True for a pod that the Job controller created for this Job of zippers. */
export function isPodOf(pod: Pod, job: Owner): boolean {
  return isZipperPod(pod) && isControlledBy(pod, 'Job', job);
}
