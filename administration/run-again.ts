import { ANNOTATIONS, GROUP_VERSION, LABELS, MAX_ZIP_JOB_NAME_LENGTH, zipJobName } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { uuidOfName } from '#crds/zip-job-facts.ts';
import { AdministrationError } from './administration-error.ts';

export interface Again {
  /** A new one. */
  readonly uuid: string;
  readonly now: Date;
}

const refused = (message: string): AdministrationError =>
  new AdministrationError(message, { code: 'Refused' });

/** Made by the API: a uuid again, by which it can be asked for. Named by hand: the same name with an end of its own. */
const nameOf = ({ metadata: { name } }: ZipJob, uuid: string): string => {
  if (uuidOfName(name) !== undefined) return zipJobName(uuid);
  const end = `-${uuid.slice(0, 8)}`;
  return `${name.slice(0, MAX_ZIP_JOB_NAME_LENGTH - end.length).replace(/-+$/, '')}${end}`;
};

/** @throws AdministrationError Refused when the job has not ended, or nothing is left to run it with. */
export const checkCanRunAgain = (job: ZipJob): void => {
  const { name, annotations } = job.metadata;
  if (!isFinished(job))
    throw refused(`Job ${name} has not ended, so it is not run again. Wait for its end, or cancel it first`);
  const deletedAt = annotations?.[ANNOTATIONS.fileListDeletedAt];
  if (deletedAt !== undefined)
    throw refused(
      `Job ${name} cannot be run again: the list of its files was deleted at ${deletedAt}, some time after its end, as its URLs are credentials. Its client has to post it again`,
    );
};

/**
 * A new job of the same spec. Its list stays where it is: it names the Secrets of the first one, which nobody has to read for
 * that, and which the controller keeps as long as the new one needs them.
 */
export const zipJobAgain = (first: ZipJob, { uuid, now }: Again): ZipJob => {
  const { namespace, name, labels = {} } = first.metadata;
  const { cancel: _cancel, suspend: _suspend, ...spec } = first.spec;
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: {
      namespace,
      name: nameOf(first, uuid),
      labels: { ...labels, [LABELS.managedBy]: 'zipjobs-administration' },
      annotations: {
        [ANNOTATIONS.acceptedAt]: now.toISOString(),
        [ANNOTATIONS.runAgainOf]: name,
      },
    },
    spec,
  };
};
