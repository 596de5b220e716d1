import type { ProjectChange } from '#administration/project-input.ts';
import type { Project } from '#administration/project-view.ts';
import { projectsOf } from './administration-of.ts';
import type { Answer } from './answer.ts';
import type { Command, CommandGroup } from './command.ts';
import { confirmed } from './confirm.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { TIMEOUT, YES } from './options.ts';
import { toFields, toTable } from './table.ts';
import { UsageError } from './usage-error.ts';

const stateOf = ({ ready, deletingSince }: Project): string => {
  if (deletingSince !== null) return 'Deleting';
  return ready === null ? 'Unknown' : ready.status === 'True' ? 'Ready' : ready.reason;
};

const described = (project: Project): string =>
  toFields([
    ['Namespace', project.namespace],
    ['Name', project.displayName],
    ['Created', project.createdAt],
    ['State', stateOf(project)],
    ['Message', project.ready?.message ?? null],
    ['Active jobs at most', project.limits.activeJobs],
    ['Files per job at most', project.limits.filesPerJob],
    ['Requests per minute at most', project.limits.requestsPerMinute],
  ]);

const answerOf = (project: Project): Answer => ({ value: project, text: described(project) });

const list: Command<GlobalArguments> = async (_args, session) => {
  const { projects, onlyOf } = await projectsOf(session).list({ namespaces: session.knownNamespaces });
  const rows = projects.map((project) => [
    project.namespace,
    project.displayName,
    stateOf(project),
    project.createdAt,
  ]);
  const notes = onlyOf && [
    `You may not list the projects of every namespace; these namespaces were asked: ${onlyOf.join(', ')}`,
  ];
  return {
    value: projects,
    text: toTable(['PROJECT', 'NAME', 'STATE', 'CREATED'], rows),
    ...(notes && { notes }),
  };
};

interface CreateArguments extends GlobalArguments {
  readonly project: string;
  readonly displayName: string | undefined;
  readonly activeJobs: number | undefined;
  readonly filesPerJob: number | undefined;
  readonly requestsPerMinute: number | undefined;
  readonly createNamespace: boolean | undefined;
  readonly wait: boolean;
  readonly timeout: number;
}

const limitsOf = ({ activeJobs, filesPerJob, requestsPerMinute }: CreateArguments) => ({
  ...(activeJobs !== undefined && { activeJobs }),
  ...(filesPerJob !== undefined && { filesPerJob }),
  ...(requestsPerMinute !== undefined && { requestsPerMinute }),
});

const create: Command<CreateArguments> = async (args, session) => {
  const projects = projectsOf(session);
  const { project: namespace, displayName, createNamespace = false } = args;
  const created = await projects.create({
    namespace,
    createNamespace,
    limits: limitsOf(args),
    ...(displayName !== undefined && { displayName }),
  });
  const wait = { limitMs: args.timeout * 1000, signal: session.signal };
  const project = args.wait ? await projects.untilReady(namespace, wait) : created;
  return { ...answerOf(project), notes: [`Next: zipjobs bucket create BUCKET -n ${namespace}`] };
};

const LIFTED = 'none';

interface UpdateArguments extends GlobalArguments {
  readonly project: string;
  readonly displayName: string | undefined;
  readonly activeJobs: string | undefined;
  readonly filesPerJob: string | undefined;
  readonly requestsPerMinute: string | undefined;
}

const limitChange = (option: string, text: string): number | null => {
  if (text === LIFTED) return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`--${option} is a whole number from 1 on, or ${LIFTED} to lift the limit`);
};

const changeOf = (args: UpdateArguments): ProjectChange => {
  const { displayName, activeJobs, filesPerJob, requestsPerMinute } = args;
  const limits = {
    ...(activeJobs !== undefined && { activeJobs: limitChange('active-jobs', activeJobs) }),
    ...(filesPerJob !== undefined && { filesPerJob: limitChange('files-per-job', filesPerJob) }),
    ...(requestsPerMinute !== undefined && {
      requestsPerMinute: limitChange('requests-per-minute', requestsPerMinute),
    }),
  };
  const change = {
    ...(displayName !== undefined && { displayName: displayName === '' ? null : displayName }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
  if (Object.keys(change).length > 0) return change;
  const options = Object.keys(UPDATE_OPTIONS).map((name) => `--${name}`);
  throw new UsageError(
    `Say what to change: ${options.join(', ')}. The webhook has commands of its own: zipjobs webhook --help`,
  );
};

const update: Command<UpdateArguments> = async (args, session) =>
  answerOf(await projectsOf(session).update(args.project, changeOf(args)));

interface OneArguments extends GlobalArguments {
  readonly project: string | undefined;
}

const show: Command<OneArguments> = async ({ project }, session) =>
  answerOf(await projectsOf(session).show(project ?? session.namespace));

const remove: Command<
  GlobalArguments & { readonly project: string; readonly yes: boolean | undefined }
> = async (args, session) => {
  const projects = projectsOf(session);
  const { namespace } = await projects.show(args.project);
  await confirmed(session, `Delete the project ${namespace}, with its tokens and jobs?`, args);
  await projects.delete(namespace);
  return {
    value: { namespace, deleted: true },
    text: `The deletion of project ${namespace} has begun: its tokens open nothing any more, its jobs are cancelled.`,
    notes: [
      `It waits until the jobs have ended and the buckets are deleted, five minutes at most: zipjobs project show ${namespace}`,
    ],
  };
};

const LIMITS = {
  'active-jobs': 'Most jobs that run at once',
  'files-per-job': 'Most files of one archive',
  'requests-per-minute': 'Most requests of the API in a minute',
} as const;

const limit = (name: keyof typeof LIMITS) =>
  ({ type: 'number', requiresArg: true, describe: LIMITS[name] }) as const;

const changedLimit = (name: keyof typeof LIMITS) =>
  ({ type: 'string', requiresArg: true, describe: `${LIMITS[name]}; ${LIFTED} lifts the limit` }) as const;

const CREATE_OPTIONS = {
  'create-namespace': {
    type: 'boolean',
    describe: 'Create the namespace, too, if it is not there',
  },
  'display-name': { type: 'string', requiresArg: true, describe: 'A name for people' },
  'active-jobs': limit('active-jobs'),
  'files-per-job': limit('files-per-job'),
  'requests-per-minute': limit('requests-per-minute'),
  wait: { type: 'boolean', default: true, describe: 'Wait until it is ready' },
  timeout: TIMEOUT(60),
} as const;

const UPDATE_OPTIONS = {
  'display-name': { type: 'string', requiresArg: true, describe: "A name for people; '' takes it away" },
  'active-jobs': changedLimit('active-jobs'),
  'files-per-job': changedLimit('files-per-job'),
  'requests-per-minute': changedLimit('requests-per-minute'),
} as const;

export const addProjectCommands: CommandGroup = (parser, run) =>
  parser.command('project', 'Projects: a namespace each, with buckets, tokens and jobs of its own', (group) =>
    group
      .command('list', 'Lists the projects that you may see', (args) => args, run(list))
      .command(
        'show [project]',
        'Shows a project: whether it is ready, and its limits',
        (args) => args.positional('project', { type: 'string', describe: 'Its namespace' }),
        run(show),
      )
      .command(
        'create <project>',
        'Makes a namespace a project',
        (args) =>
          args
            .positional('project', { type: 'string', demandOption: true, describe: 'Its namespace' })
            .options(CREATE_OPTIONS)
            .example('$0 project create acme --create-namespace', 'A new project in a namespace of its own'),
        run(create),
      )
      .command(
        'update <project>',
        'Changes what you name, and nothing else',
        (args) =>
          args
            .positional('project', { type: 'string', demandOption: true, describe: 'Its namespace' })
            .options(UPDATE_OPTIONS)
            .example(
              '$0 project update acme --active-jobs 20 --files-per-job none',
              'One limit, and one less',
            ),
        run(update),
      )
      .command(
        'delete <project>',
        'Deletes a project: revokes its tokens, cancels its jobs',
        (args) =>
          args
            .positional('project', { type: 'string', demandOption: true, describe: 'Its namespace' })
            .option('yes', YES),
        run(remove),
      )
      .demandCommand(1, 'Say what to do: list, show, create, update, delete'),
  );
