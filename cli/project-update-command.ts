import type { ProjectChange } from '#administration/projects/project-input.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Command, CommandGroup } from './command.ts';
import { confirmed } from './confirm.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { YES } from './options.ts';
import { PROJECT, PROJECT_LIMITS } from './project-options.ts';
import { daysText, outputOf } from './project-text.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

const NO_LIMIT = 'none';
const RETENTION = 'history-retention-days';
/** As in the definition of a ZipProject. */
const MAX_RETENTION_DAYS = 3650;

interface UpdateArguments extends GlobalArguments {
  readonly project: string;
  readonly displayName: string | undefined;
  readonly activeJobs: string | undefined;
  readonly filesPerJob: string | undefined;
  readonly archiveBytes: string | undefined;
  readonly requestsPerMinute: string | undefined;
  readonly createsPerSecond: string | undefined;
  readonly filesPerSecond: string | undefined;
  readonly storedJobs: string | undefined;
  readonly storedBytes: string | undefined;
  readonly historyRetentionDays: string | undefined;
  readonly yes: boolean | undefined;
}

function limitChange(option: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === NO_LIMIT) return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be an integer of at least 1, or ${NO_LIMIT} to remove the limit`);
}

function retentionChange(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === NO_LIMIT) return null;
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= MAX_RETENTION_DAYS) return Number(text);
  throw new UsageError(
    `--${RETENTION} must be an integer from 1 to ${MAX_RETENTION_DAYS}, or ${NO_LIMIT} to use the retention of the installation`,
  );
}

function changeOf(args: UpdateArguments): ProjectChange {
  const { displayName } = args;
  const limits = defined({
    activeJobs: limitChange('active-jobs', args.activeJobs),
    filesPerJob: limitChange('files-per-job', args.filesPerJob),
    archiveBytes: limitChange('archive-bytes', args.archiveBytes),
    requestsPerMinute: limitChange('requests-per-minute', args.requestsPerMinute),
    createsPerSecond: limitChange('creates-per-second', args.createsPerSecond),
    filesPerSecond: limitChange('files-per-second', args.filesPerSecond),
    storedJobs: limitChange('stored-jobs', args.storedJobs),
    storedBytes: limitChange('stored-bytes', args.storedBytes),
  });
  const change = {
    ...(displayName !== undefined && { displayName: displayName === '' ? null : displayName }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...defined({ historyRetentionDays: retentionChange(args.historyRetentionDays) }),
  };
  if (Object.keys(change).length > 0) return change;
  const options = Object.keys(UPDATE_OPTIONS).map((name) => `--${name}`);
  throw new UsageError(
    `Nothing to change. Pass at least one of ${options.join(', ')}. To change the webhook, see: zipjobs webhook --help`,
  );
}

/** A shorter retention deletes records within an hour. Without one before, that of the installation may have been longer. */
async function confirmRetention(
  args: UpdateArguments,
  { historyRetentionDays: days }: ProjectChange,
  session: Session,
): Promise<void> {
  if (days === undefined || days === null) return;
  const { namespace, historyRetentionDays: before } = await session.administration
    .projects()
    .show(args.project);
  if (before !== null && days >= before) return;
  await confirmed(
    session,
    `Delete records older than ${daysText(days)} of project "${namespace}" from the history? This cannot be undone.`,
    args,
  );
}

const update: Command<UpdateArguments> = async (args, session) => {
  const change = changeOf(args);
  await confirmRetention(args, change, session);
  return outputOf(await session.administration.projects().update(args.project, change), session);
};

function changedLimit(name: keyof typeof PROJECT_LIMITS) {
  return {
    type: 'string',
    requiresArg: true,
    describe: `${PROJECT_LIMITS[name]}; ${NO_LIMIT} removes the limit`,
  } as const;
}

const UPDATE_OPTIONS = {
  'display-name': { type: 'string', requiresArg: true, describe: "Display name; '' removes it" },
  'active-jobs': changedLimit('active-jobs'),
  'files-per-job': changedLimit('files-per-job'),
  'archive-bytes': changedLimit('archive-bytes'),
  'requests-per-minute': changedLimit('requests-per-minute'),
  'creates-per-second': changedLimit('creates-per-second'),
  'files-per-second': changedLimit('files-per-second'),
  'stored-jobs': changedLimit('stored-jobs'),
  'stored-bytes': changedLimit('stored-bytes'),
  [RETENTION]: {
    type: 'string',
    requiresArg: true,
    describe: `Days after which the history deletes finished jobs, from 1 to ${MAX_RETENTION_DAYS}; ${NO_LIMIT} uses the retention of the installation, which always applies if it is lower`,
  },
} as const;

export const addProjectUpdate: CommandGroup = (group, run) =>
  group.command(
    'update <project>',
    'Change the given settings and keep the others',
    (args) =>
      args
        .positional('project', PROJECT)
        .hide('namespace')
        .hide('n')
        .options({ ...UPDATE_OPTIONS, yes: YES })
        .example(
          '$0 project update acme --active-jobs 20 --files-per-job none',
          'Set one limit and remove another',
        ),
    run(update),
  );
