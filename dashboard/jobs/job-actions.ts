import { randomUUID } from 'node:crypto';
import { bucketSecretName } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { isFileListDeleted, zipJobId } from '#crds/zip-job-facts.ts';
import { FORMAT } from '../ui/format.ts';
import type { Question } from '../user/access.ts';
import type { User } from '../user/user.ts';
import type { FoundJob } from './find-job.ts';
import type { RerunAdvice } from './job-failure.ts';

/** An action on a job, as a button or link. */
export interface Action {
  readonly kind: 'cancel' | 'run-again' | 'replay-webhook' | 'download';
  readonly label: string;
  readonly href: string;
  /** The missing permission that locks it; empty with the permissions. */
  readonly reason: string;
  /** Why the job or its bucket prevents it; empty when nothing does, and if it is locked. */
  readonly obstacle: string;
  /** Whether it is the next step. */
  readonly isPrimary: boolean;
  /** UUID of its form. */
  readonly form: string;
  /** Why it is not the next step; empty if there is nothing to say. */
  readonly note: string;
}

interface Offer {
  readonly kind: Action['kind'];
  readonly label: string;
  readonly isShown: (job: ZipJob) => boolean;
  readonly needs: (job: ZipJob) => readonly Question[];
  /** Why the job or its bucket prevents it; empty when nothing does. */
  readonly obstacle: (job: ZipJob, context: ActionContext) => string | Promise<string>;
  /** It needs neither the ZipJob nor its file list. */
  readonly worksOnArchived?: true;
}

export const CHANGE_JOB: Question = { verb: 'patch', resource: 'zipjobs' };
export const CREATE_JOB: Question = { verb: 'create', resource: 'zipjobs' };

/** A download link is signed with the credentials of the bucket, so the user must be allowed to read them. */
function readBucket({ spec }: Pick<ZipJob, 'spec'>): readonly Question[] {
  return [
    { verb: 'get', resource: 'zipbuckets', name: spec.bucketRef.name },
    { verb: 'get', resource: 'secrets', group: '', name: bucketSecretName(spec.bucketRef.name) },
  ];
}

/** What the actions depend on beside the job and the permissions of the user. */
export interface ActionContext {
  readonly rerun: RerunAdvice;
  /** Why the archive cannot be downloaded; empty if it can. Called only for users with the permissions for a download. */
  readonly downloadObstacle: () => Promise<string>;
}

function NO_OBSTACLE(): string {
  return '';
}

function runAgainObstacle(job: ZipJob): string {
  return isFileListDeleted(job) ? 'Send the request again: the file list was deleted.' : '';
}

const OFFERS: readonly Offer[] = [
  {
    kind: 'download',
    label: 'Download',
    isShown: ({ status }) => status?.phase === 'Succeeded',
    needs: readBucket,
    obstacle: (_, { downloadObstacle }) => downloadObstacle(),
    worksOnArchived: true,
  },
  {
    kind: 'cancel',
    label: 'Cancel job…',
    isShown: (job) => !isFinished(job),
    needs: () => [CHANGE_JOB],
    obstacle: ({ spec }) => (spec.cancel === true ? 'The job is already being cancelled.' : ''),
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
    label: 'Resend webhook',
    isShown: (job) => isFinished(job) && (job.status?.webhook?.state ?? 'NotConfigured') !== 'NotConfigured',
    needs: () => [CHANGE_JOB],
    obstacle: NO_OBSTACLE,
  },
];

/** The actions for a job in its state. A page of an archived job says what is gone. */
export async function actionsOf(
  { zipJob: job, isArchived }: FoundJob,
  user: Pick<User, 'seemsToBeAllowed'>,
  context: ActionContext,
): Promise<readonly Action[]> {
  const { namespace, name } = job.metadata;
  const offers = OFFERS.filter(
    ({ isShown, worksOnArchived }) => isShown(job) && (!isArchived || worksOnArchived === true),
  );
  return Promise.all(
    offers.map(async ({ kind, label, needs, obstacle }) => {
      const verdicts = await Promise.all(
        needs(job).map((question) => user.seemsToBeAllowed(namespace, question)),
      );
      const refused = verdicts.find(({ allowed }) => !allowed);
      const href = FORMAT.path('projects', namespace, 'jobs', isArchived ? zipJobId(job) : name, kind);
      const advice = kind === 'run-again' ? context.rerun : { isPrimary: kind === 'download', note: '' };
      const action = { kind, label, href, form: randomUUID(), ...advice };
      return refused === undefined
        ? { ...action, reason: '', obstacle: await obstacle(job, context) }
        : { ...action, reason: refused.reason, obstacle: '' };
    }),
  );
}
