import { filterProblems } from '#administration/jobs/history-filter.ts';
import { REASONS } from '#crds/conditions.ts';
import { FAILURE_FAULTS } from '#crds/job-failures.ts';
import { PHASES, type Phase, SERVICES, SPEC_DEFAULTS, TERMINAL_PHASES } from '#crds/zip-job.ts';
import type { Command, CommandGroup } from './command.ts';
import { durationMs } from './duration.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { type ListHistoryArguments, listHistory } from './history/list-history.ts';
import { idLengthOf, jobTable } from './job-text.ts';
import { DASHBOARD } from './options.ts';
import { didYouMean } from './suggest.ts';
import { UsageError } from './usage-error.ts';
import { watchJobs } from './watch-jobs.ts';
import { atLeastOne } from './whole-number.ts';

interface ListArguments extends GlobalArguments, Omit<ListHistoryArguments, 'phases' | 'reasons'> {
  readonly phase: string | undefined;
  readonly reason: string | undefined;
  readonly unfinished: boolean | undefined;
  readonly history: boolean | undefined;
  readonly watch: boolean | undefined;
}

const UNFINISHED = PHASES.filter((phase) => !TERMINAL_PHASES.some((one) => one === phase));

function phaseOf(text: string): Phase {
  const phase = PHASES.find((one) => one.toLowerCase() === text.trim().toLowerCase());
  if (phase) return phase;
  throw new UsageError(
    `Invalid --phase "${text}". Use one or more of ${PHASES.join(', ')}, separated by commas`,
  );
}

function phasesOf({ phase, unfinished }: ListArguments): readonly Phase[] {
  if (phase !== undefined && unfinished === true)
    throw new UsageError('Use either --phase or --unfinished, not both');
  if (unfinished === true) return UNFINISHED;
  return phase?.split(',').map(phaseOf) ?? [];
}

const KNOWN_REASONS: ReadonlySet<string> = new Set([...FAILURE_FAULTS.keys(), ...Object.keys(REASONS)]);

function reasonsOf({ reason, history }: ListArguments): readonly string[] {
  const reasons = reason?.split(',').map((part) => part.trim()) ?? [];
  const [problem] = reason === undefined ? [] : filterProblems({ reason: reasons.join(',') });
  if (problem) throw new UsageError(`--reason ${problem.rule}`);
  // The history may have jobs of other versions, with other reasons.
  const unknown = history === true ? undefined : reasons.find((one) => !KNOWN_REASONS.has(one));
  if (unknown !== undefined)
    throw new UsageError(
      `Unknown --reason "${unknown}"${didYouMean(unknown, [...KNOWN_REASONS]) || `. Reasons of failed jobs: ${[...FAILURE_FAULTS.keys()].join(', ')}`}`,
    );
  return reasons;
}

function checkToken({ tokenId }: ListArguments): void {
  const [problem] = tokenId === undefined ? [] : filterProblems({ token: tokenId });
  if (problem) throw new UsageError(`--token-id ${problem.rule}. See: zipjobs token list`);
}

function timeBefore(now: Date, option: string, text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(now.getTime() - durationMs(option, text));
}

function checkWatch({ watch, history, output }: ListArguments): void {
  if (watch !== true) return;
  if (history === true) throw new UsageError('Use either --watch or --history, not both');
  if (output !== 'table') throw new UsageError('--watch prints a table: leave out -o');
}

const list: Command<ListArguments> = async (args, session) => {
  checkWatch(args);
  checkToken(args);
  const [phases, reasons] = [phasesOf(args), reasonsOf(args)];
  if (args.history === true) return listHistory({ ...args, phases, reasons }, session);
  if (args.dashboard !== undefined) throw new UsageError('--dashboard needs --history');
  const now = session.clock.date();
  const { allProjects = false, bucket, service, key } = args;
  const query = {
    namespace: allProjects ? undefined : session.namespace,
    phases,
    reasons,
    createdBy: args.tokenId,
    bucket: bucket === undefined ? undefined : { bucketName: bucket, service },
    key,
    createdAfter: timeBefore(now, 'newer-than', args.newerThan),
    createdBefore: timeBefore(now, 'older-than', args.olderThan),
    limit: atLeastOne('limit', args.limit),
  };
  const { jobs, matching } = await session.administration.jobs(session.namespace).list(query, session.signal);
  const style = {
    isWide: args.wide === true,
    withProject: allProjects,
    isDecorated: session.terminal.isDecorated,
    idLength: idLengthOf(jobs),
    now,
  };
  if (args.watch === true) return watchJobs({ query, style, first: jobs }, session);
  const more = `Showing the newest ${jobs.length} of ${matching} jobs. Raise --limit or add a filter to see the others`;
  return {
    value: jobs,
    text: jobTable(jobs, style),
    notes: [
      ...(jobs.length < matching ? [more] : []),
      ...(matching === 0 && !allProjects ? [`No matching jobs in project "${session.namespace}"`] : []),
    ],
  };
};

const LIST_OPTIONS = {
  'all-projects': { alias: 'A', type: 'boolean', describe: 'List the jobs of every project' },
  phase: {
    type: 'string',
    requiresArg: true,
    describe: `One or more of ${PHASES.join(', ')}; separated by commas`,
  },
  reason: {
    type: 'string',
    requiresArg: true,
    describe: 'Only jobs with one of these reasons, such as SourceNotFound; separated by commas',
  },
  unfinished: { alias: 'u', type: 'boolean', describe: 'Only jobs that are not finished' },
  bucket: { type: 'string', requiresArg: true, describe: 'Only jobs of this bucket' },
  service: {
    choices: SERVICES,
    default: SPEC_DEFAULTS.service,
    requiresArg: true,
    describe: 'Storage service of the bucket',
  },
  key: { type: 'string', requiresArg: true, describe: 'Only jobs with this key; * matches any text' },
  'token-id': {
    type: 'string',
    requiresArg: true,
    describe: 'Only jobs that the access token with this ID created',
  },
  'newer-than': {
    type: 'string',
    requiresArg: true,
    describe: 'Only jobs created within this time, such as 30s, 10m, 2h or 7d',
  },
  'older-than': {
    type: 'string',
    requiresArg: true,
    describe: 'Only jobs created before this time, such as 30s, 10m, 2h or 7d ago',
  },
  limit: {
    type: 'number',
    default: 100,
    requiresArg: true,
    describe: 'Maximum number of jobs, newest first',
  },
  wide: {
    alias: 'w',
    type: 'boolean',
    describe:
      'Whole IDs, and also bucket, attempts, duration, node, webhook and message; with --history bucket, duration, token and webhook',
  },
  watch: { type: 'boolean', describe: 'Print each change until you press Ctrl-C' },
  history: {
    type: 'boolean',
    describe: 'List the finished jobs of the history; --newer-than and --older-than then apply to their end',
  },
  dashboard: DASHBOARD,
} as const;

export const addListCommand: CommandGroup = (group, run) =>
  group.command(
    'list',
    'List jobs',
    (args) =>
      args
        .options(LIST_OPTIONS)
        .example('$0 job list -A --unfinished --wide', 'Unfinished jobs of every project')
        .example(
          '$0 job list --phase Failed --newer-than 1h',
          'Failed jobs that were created in the last hour',
        )
        .example(
          '$0 job list --history --key "reports/*"',
          'Finished jobs, also those that left the cluster',
        ),
    run(list),
  );
