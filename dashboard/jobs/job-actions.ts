import { randomUUID } from 'node:crypto';
import { bucketSecretName } from '#crds/api-group.ts';
import { endpointsOf } from '#crds/webhook-endpoints.ts';
import { type EndpointDelivery, isFinished, type ZipJob } from '#crds/zip-job.ts';
import { isFileListDeleted, uuidOfName, zipJobId } from '#crds/zip-job-facts.ts';
import { NEW_JOB_RIGHTS } from '../new-job/job-rules.ts';
import { FORMAT } from '../ui/format.ts';
import type { Question } from '../user/access.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import type { User } from '../user/user.ts';
import type { FoundJob } from './find-job.ts';
import type { RerunAdvice } from './job-failure.ts';

type Kind = 'cancel' | 'run-again' | 'new-job' | 'replay-webhook' | 'download';

/** An action on a job, as a button or link. */
export interface Action {
  readonly kind: Kind;
  readonly label: string;
  readonly href: string;
  /** The missing permission that locks it; empty with the permissions. */
  readonly reason: string;
  /** Why the job or its bucket prevents it; empty for those that are shown. */
  readonly obstacle: string;
  /** UUID of its form. */
  readonly form: string;
}

/** What can be done with a job. */
export interface JobActions {
  /** The one beside the title. */
  readonly main: Action | undefined;
  /** Whether `main` is the next step. */
  readonly isNext: boolean;
  /** Those in the menu. */
  readonly more: readonly Action[];
  /** Why an action is missing, or is not the next step. */
  readonly notes: readonly string[];
}

interface Offer {
  readonly kind: Kind;
  readonly label: string;
  readonly isShown: (job: ZipJob, context: ActionContext) => boolean;
  readonly needs: (job: ZipJob) => readonly Question[];
  /** Nothing says that it exists to a user without these permissions. */
  readonly hiddenWithout?: (job: ZipJob) => readonly Question[];
  /** Why the job or its bucket prevents it; empty when nothing does. */
  readonly obstacle?: (job: ZipJob, context: ActionContext) => string | Promise<string>;
  /** Default: a path below that of the job. */
  readonly href?: (job: ZipJob) => string;
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

/** A user who can get the job can read an inline list. */
function readFileList({ spec }: Pick<ZipJob, 'spec'>): readonly Question[] {
  return (spec.filesFrom?.secretNames ?? []).map((name) => ({
    verb: 'get',
    resource: 'secrets',
    group: '',
    name,
  }));
}

/** What the actions depend on beside the job and the permissions of the user. */
export interface ActionContext {
  readonly rerun: RerunAdvice;
  /** Why the archive cannot be downloaded; empty if it can. Called only for users with the permissions for a download. */
  readonly downloadObstacle: () => Promise<string>;
}

/** The endpoints that did not get the event of a finished job or, if all did, every one that got it. None that was removed. */
export function endpointsToResend({ status = {} }: Pick<ZipJob, 'status'>): readonly string[] {
  const subscribed = endpointsOf<EndpointDelivery>(status.webhook).filter(
    ({ state, reason }) => state !== 'NotConfigured' && reason !== 'EndpointRemoved',
  );
  const missing = subscribed.filter(({ state }) => state !== 'Delivered');
  return (missing.length > 0 ? missing : subscribed).map(({ name }) => name);
}

/** The form of a new job with the files of this one. */
function newJobHref({ metadata: { namespace, name } }: ZipJob): string {
  const query = new URLSearchParams({ from: uuidOfName(name) ?? name }).toString();
  return `${FORMAT.path('projects', namespace, 'new-job')}?${query}`;
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
    isShown: (job, { rerun }) => isFinished(job) && rerun.canHelp,
    needs: () => [CREATE_JOB],
    obstacle: (job) => (isFileListDeleted(job) ? 'Send the request again: the file list was deleted.' : ''),
  },
  {
    kind: 'new-job',
    label: 'New job from this list',
    isShown: (job) => isFinished(job) && !isFileListDeleted(job),
    needs: () => NEW_JOB_RIGHTS,
    hiddenWithout: readFileList,
    href: newJobHref,
  },
  {
    kind: 'replay-webhook',
    label: 'Resend webhook',
    isShown: (job) => isFinished(job) && endpointsToResend(job).length > 0,
    needs: () => [CHANGE_JOB],
  },
];

/** Undefined for an action that the user must not know of. */
async function offered(
  { zipJob: job, isArchived }: FoundJob,
  user: Pick<User, 'seemsToBeAllowed'>,
  { offer, context }: { readonly offer: Offer; readonly context: ActionContext },
): Promise<Action | undefined> {
  const { namespace, name } = job.metadata;
  const { kind, label, needs, hiddenWithout, obstacle } = offer;
  const request = { user, namespace };
  if (hiddenWithout && (await reasonAgainst(request, hiddenWithout(job))) !== '') return undefined;
  const reason = await reasonAgainst(request, needs(job));
  return {
    kind,
    label,
    href:
      offer.href?.(job) ??
      FORMAT.path('projects', namespace, 'jobs', isArchived ? zipJobId(job) : name, kind),
    form: randomUUID(),
    reason,
    obstacle: reason === '' ? ((await obstacle?.(job, context)) ?? '') : '',
  };
}

/** The action beside the title: the next step, or else the first that can be taken. */
function mainOf(actions: readonly Action[], { next }: RerunAdvice): Action | undefined {
  return (
    actions.find(({ kind }) => kind === 'download' || kind === 'cancel') ??
    actions.find(({ kind }) => kind === next) ??
    actions.find(({ kind }) => kind === 'run-again')
  );
}

/** The actions for a job in its state. A page of an archived job says what is gone. */
export async function actionsOf(
  found: FoundJob,
  user: Pick<User, 'seemsToBeAllowed'>,
  context: ActionContext,
): Promise<JobActions> {
  const { zipJob: job, isArchived } = found;
  const offers = OFFERS.filter(
    ({ isShown, worksOnArchived }) => isShown(job, context) && (!isArchived || worksOnArchived === true),
  );
  const all = await Promise.all(offers.map((offer) => offered(found, user, { offer, context })));
  const known = all.filter((action) => action !== undefined);
  const actions = known.filter(({ obstacle }) => obstacle === '');
  const { rerun } = context;
  const main = mainOf(actions, rerun);
  return {
    main,
    isNext: main !== undefined && (main.kind === 'download' || main.kind === rerun.next),
    more: actions.filter((action) => action !== main),
    notes: [
      ...known.map(({ obstacle }) => obstacle),
      ...(isArchived || known.some(({ kind, obstacle }) => kind === 'run-again' && obstacle !== '')
        ? []
        : [rerun.note]),
    ].filter((text) => text !== ''),
  };
}
