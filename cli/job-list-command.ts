import { PHASES, type Phase, SERVICES, SPEC_DEFAULTS, TERMINAL_PHASES } from '#crds/zip-job.ts';
import { jobsOf } from './administration-of.ts';
import type { Command, CommandGroup } from './command.ts';
import { durationMs } from './duration.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { jobTable } from './job-text.ts';
import { UsageError } from './usage-error.ts';
import { atLeastOne } from './whole-number.ts';

interface ListArguments extends GlobalArguments {
  readonly allProjects: boolean | undefined;
  readonly phase: string | undefined;
  readonly unfinished: boolean | undefined;
  readonly bucket: string | undefined;
  readonly service: string;
  readonly key: string | undefined;
  readonly newerThan: string | undefined;
  readonly olderThan: string | undefined;
  readonly limit: number;
  readonly wide: boolean | undefined;
}

const UNFINISHED = PHASES.filter((phase) => !TERMINAL_PHASES.some((one) => one === phase));

const phaseOf = (text: string): Phase => {
  const phase = PHASES.find((one) => one.toLowerCase() === text.trim().toLowerCase());
  if (phase) return phase;
  throw new UsageError(`--phase is one or more of ${PHASES.join(', ')}, joined by commas; not '${text}'`);
};

const phasesOf = ({ phase, unfinished }: ListArguments): readonly Phase[] => {
  if (phase !== undefined && unfinished === true)
    throw new UsageError('--phase and --unfinished exclude each other');
  if (unfinished === true) return UNFINISHED;
  return phase?.split(',').map(phaseOf) ?? [];
};

const timeBefore = (now: Date, option: string, text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(now.getTime() - durationMs(option, text));

const list: Command<ListArguments> = async (args, session) => {
  const now = session.clock.date();
  const { allProjects = false, bucket, service, key } = args;
  const query = {
    namespace: allProjects ? undefined : session.namespace,
    phases: phasesOf(args),
    bucket: bucket === undefined ? undefined : { bucketName: bucket, service },
    key,
    createdAfter: timeBefore(now, 'newer-than', args.newerThan),
    createdBefore: timeBefore(now, 'older-than', args.olderThan),
    limit: atLeastOne('limit', args.limit),
  };
  const { jobs, matching } = await jobsOf(session).list(query, session.signal);
  const style = { isWide: args.wide === true, withProject: allProjects, now };
  const more = `The newest ${jobs.length} of ${matching} jobs are shown; see --limit, or narrow them down`;
  return {
    value: jobs,
    text: jobTable(jobs, style),
    notes: [
      ...(jobs.length < matching ? [more] : []),
      ...(matching === 0 && !allProjects ? [`Project ${session.namespace} has no such job`] : []),
    ],
  };
};

const LIST_OPTIONS = {
  'all-projects': { alias: 'A', type: 'boolean', describe: 'Of every project' },
  phase: { type: 'string', requiresArg: true, describe: `Any of ${PHASES.join(', ')}; joined by commas` },
  unfinished: { alias: 'u', type: 'boolean', describe: 'Those that have not ended' },
  bucket: { type: 'string', requiresArg: true, describe: 'Those of a bucket, by its name at the provider' },
  service: {
    choices: SERVICES,
    default: SPEC_DEFAULTS.service,
    requiresArg: true,
    describe: 'Kind of that store',
  },
  key: { type: 'string', requiresArg: true, describe: 'Those of a key; * stands for anything' },
  'newer-than': { type: 'string', requiresArg: true, describe: 'Made in the last 30s, 10m, 2h, 7d' },
  'older-than': { type: 'string', requiresArg: true, describe: 'Made longer ago than that' },
  limit: { type: 'number', default: 100, requiresArg: true, describe: 'Most jobs, the newest first' },
  wide: { alias: 'w', type: 'boolean', describe: 'With key, reason, node, webhook and message' },
} as const;

export const addListCommand: CommandGroup = (group, run) =>
  group.command(
    'list',
    'Lists jobs as they are now',
    (args) =>
      args
        .options(LIST_OPTIONS)
        .example('$0 job list -A --unfinished --wide', 'What does not get on, in every project')
        .example('$0 job list --phase Failed --newer-than 1h', 'What failed in the last hour'),
    run(list),
  );
