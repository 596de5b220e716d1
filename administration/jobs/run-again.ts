import { ANNOTATIONS, GROUP_VERSION, LABELS, MAX_ZIP_JOB_NAME_LENGTH, zipJobName } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { isFileListDeleted, uuidOfName } from '#crds/zip-job-facts.ts';
import { AdministrationError } from '../errors/administration-error.ts';

function refused(message: string): AdministrationError {
  return new AdministrationError(message, { code: 'Refused' });
}

/** A job of the API gets a new uuid, so that the API can read it. Any other job keeps its name and gets a suffix. */
function nameOf({ metadata: { name } }: ZipJob, uuid: string): string {
  if (uuidOfName(name) !== undefined) return zipJobName(uuid);
  const end = `-${uuid.slice(0, 8)}`;
  return `${name.slice(0, MAX_ZIP_JOB_NAME_LENGTH - end.length).replace(/(?<!-)-+$/, '')}${end}`;
}

/** @throws AdministrationError Refused if the job is not finished, or its file list was deleted. */
export function checkCanRunAgain(job: ZipJob): void {
  const { name } = job.metadata;
  if (!isFinished(job))
    throw refused(
      `Cannot rerun job "${name}": it is not finished. Wait until it finishes, or cancel it first`,
    );
  if (isFileListDeleted(job))
    throw refused(
      `Cannot rerun job "${name}": its file list was deleted, because its URLs may be credentials. Send the original request again`,
    );
}

const KEPT_LABELS: readonly string[] = [LABELS.name, LABELS.component, LABELS.partOf];
const KEPT_PREFIXES = ['zipjobs.dev/', 'kueue.x-k8s.io/'] as const;

/** A tool that finds its own label on an object that it does not know, such as Argo CD, deletes the object. */
function isKept(label: string): boolean {
  return KEPT_LABELS.includes(label) || KEPT_PREFIXES.some((prefix) => label.startsWith(prefix));
}

/**
 * A new job with the same spec. It refers to the file-list Secrets of the first job, so the user needs no permission to read
 * them. The controller keeps these Secrets until the new job is finished.
 */
export function zipJobAgain(first: ZipJob, uuid: string): ZipJob {
  const { namespace, name, labels = {} } = first.metadata;
  const kept = Object.fromEntries(Object.entries(labels).filter(([label]) => isKept(label)));
  const { cancel: _cancel, suspend: _suspend, ...spec } = first.spec;
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: {
      namespace,
      name: nameOf(first, uuid),
      labels: { ...kept, [LABELS.managedBy]: 'zipjobs-administration' },
      annotations: { [ANNOTATIONS.runAgainOf]: name },
    },
    spec,
  };
}
