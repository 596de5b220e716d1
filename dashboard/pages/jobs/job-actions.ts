import { AdministrationError } from '#administration/administration-error.ts';
import { checkCanRunAgain } from '#administration/run-again.ts';
import { bucketSecretName } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { FORMAT } from '../../format.ts';
import type { Question } from '../../person/access.ts';
import type { Person } from '../../person/person.ts';

/** Something that can be done with a job. */
export interface Action {
  readonly kind: 'cancel' | 'run-again' | 'replay-webhook' | 'download';
  readonly label: string;
  readonly href: string;
  /** Why not; empty when it can be done. */
  readonly reason: string;
}

interface Offer {
  readonly kind: Action['kind'];
  readonly label: string;
  readonly isShown: (job: ZipJob) => boolean;
  readonly needs: (job: ZipJob) => readonly Question[];
  /** What stands against it besides rights; empty for nothing. */
  readonly obstacle: (job: ZipJob) => string;
}

export const CHANGE_JOB: Question = { verb: 'patch', resource: 'zipjobs' };
export const CREATE_JOB: Question = { verb: 'create', resource: 'zipjobs' };

/** A link to an archive is made with the credentials of its bucket, which the person must be allowed to read. */
const readBucket = ({ spec }: Pick<ZipJob, 'spec'>): readonly Question[] => [
  { verb: 'get', resource: 'zipbuckets', name: spec.bucketRef.name },
  { verb: 'get', resource: 'secrets', group: '', name: bucketSecretName(spec.bucketRef.name) },
];

const runAgainObstacle = (job: ZipJob): string => {
  try {
    checkCanRunAgain(job);
    return '';
  } catch (error) {
    if (error instanceof AdministrationError) return error.message;
    throw error;
  }
};

const OFFERS: readonly Offer[] = [
  {
    kind: 'download',
    label: 'Download',
    isShown: ({ status }) => status?.phase === 'Succeeded',
    needs: readBucket,
    obstacle: () => '',
  },
  {
    kind: 'cancel',
    label: 'Cancel',
    isShown: (job) => !isFinished(job),
    needs: () => [CHANGE_JOB],
    obstacle: ({ spec }) => (spec.cancel === true ? 'The job was asked to end already.' : ''),
  },
  {
    kind: 'run-again',
    label: 'Run again',
    isShown: isFinished,
    needs: () => [CREATE_JOB],
    obstacle: runAgainObstacle,
  },
  {
    kind: 'replay-webhook',
    label: 'Send the webhook again',
    isShown: (job) => isFinished(job) && (job.status?.webhook?.state ?? 'NotConfigured') !== 'NotConfigured',
    needs: () => [CHANGE_JOB],
    obstacle: () => '',
  },
];

/** What is offered for a job in its state; what the person may not do comes with the reason. */
export const actionsOf = async (
  job: ZipJob,
  person: Pick<Person, 'seemsToBeAllowed'>,
): Promise<readonly Action[]> => {
  const { namespace, name } = job.metadata;
  return Promise.all(
    OFFERS.filter(({ isShown }) => isShown(job)).map(async ({ kind, label, needs, obstacle }) => {
      const verdicts = await Promise.all(
        needs(job).map((question) => person.seemsToBeAllowed(namespace, question)),
      );
      const refused = verdicts.find(({ allowed }) => !allowed);
      const href = FORMAT.path('projects', namespace, 'jobs', name, kind);
      return { kind, label, href, reason: refused?.reason ?? obstacle(job) };
    }),
  );
};
