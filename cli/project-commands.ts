import type { ProjectChange } from '#administration/project-input.ts';
import { limitText } from '#administration/project-limits.ts';
import type { HistoryPurgeView, Project } from '#administration/project-view.ts';
import type { ProjectLimits } from '#crds/zip-project.ts';
import { defined } from '#runtime/optional.ts';
import type { Command, CommandGroup } from './command.ts';
import { confirmed } from './confirm.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { TIMEOUT, YES } from './options.ts';
import type { Output } from './output.ts';
import { toFields, toTable } from './table.ts';
import { UsageError } from './usage-error.ts';

const stateOf = ({ ready, deletingSince }: Project): string => {
  if (deletingSince !== null) return 'Deleting';
  return ready === null ? 'Unknown' : ready.status === 'True' ? 'Ready' : ready.reason;
};

const purgeOf = ({ finishedAt, startedAt, message }: HistoryPurgeView): string =>
  `${finishedAt === null ? `started ${startedAt}` : `finished ${finishedAt}`}. ${message ?? ''}`;

const described = (project: Project): string =>
  toFields([
    ['Namespace', project.namespace],
    ['Name', project.displayName],
    ['Created', project.createdAt],
    ['State', stateOf(project)],
    ['Message', project.ready?.message ?? null],
    ['Class', project.class?.name ?? null],
    ['Max active jobs', limitText(project, 'activeJobs')],
    ['Max files per job', limitText(project, 'filesPerJob')],
    ['Max requests per minute', limitText(project, 'requestsPerMinute')],
    ['Max creates per second', limitText(project, 'createsPerSecond')],
    ['Max files per second', limitText(project, 'filesPerSecond')],
    ['Max stored jobs', limitText(project, 'storedJobs')],
    ['Max stored bytes', limitText(project, 'storedBytes')],
    ...(project.historyPurge ? ([['History purge', purgeOf(project.historyPurge)]] as const) : []),
  ]);

const outputOf = (project: Project): Output => ({ value: project, text: described(project) });

const list: Command<GlobalArguments> = async (_args, session) => {
  const { projects, onlyOf } = await session.administration
    .projects()
    .list({ namespaces: session.knownNamespaces });
  const rows = projects.map((project) => [
    project.namespace,
    project.displayName,
    stateOf(project),
    project.createdAt,
  ]);
  const notes = onlyOf && [
    `You lack permission to list the projects of every namespace. Only these namespaces were searched: ${onlyOf.join(', ')}`,
  ];
  return {
    value: projects,
    text: toTable(['PROJECT', 'NAME', 'STATE', 'CREATED'], rows),
    ...defined({ notes }),
  };
};

interface CreateArguments extends GlobalArguments {
  readonly project: string;
  readonly displayName: string | undefined;
  readonly activeJobs: number | undefined;
  readonly filesPerJob: number | undefined;
  readonly requestsPerMinute: number | undefined;
  readonly createsPerSecond: number | undefined;
  readonly filesPerSecond: number | undefined;
  readonly storedJobs: number | undefined;
  readonly storedBytes: number | undefined;
  readonly createNamespace: boolean | undefined;
  readonly wait: boolean;
  readonly timeout: number;
}

const limitsOf = (args: CreateArguments): Partial<ProjectLimits> => {
  const { activeJobs, filesPerJob, storedJobs, storedBytes } = args;
  const { requestsPerMinute, createsPerSecond, filesPerSecond } = args;
  const rates = { requestsPerMinute, createsPerSecond, filesPerSecond };
  return defined({ activeJobs, filesPerJob, ...rates, storedJobs, storedBytes });
};

const create: Command<CreateArguments> = async (args, session) => {
  const projects = session.administration.projects();
  const { project: namespace, displayName, createNamespace = false } = args;
  const created = await projects.create({
    namespace,
    createNamespace,
    limits: limitsOf(args),
    ...defined({ displayName }),
  });
  const wait = { limitMs: args.timeout * 1000, signal: session.signal };
  const project = args.wait ? await projects.untilReady(namespace, wait) : created;
  return { ...outputOf(project), notes: [`Next: zipjobs bucket create BUCKET -n ${namespace}`] };
};

const NO_LIMIT = 'none';

interface UpdateArguments extends GlobalArguments {
  readonly project: string;
  readonly displayName: string | undefined;
  readonly activeJobs: string | undefined;
  readonly filesPerJob: string | undefined;
  readonly requestsPerMinute: string | undefined;
  readonly createsPerSecond: string | undefined;
  readonly filesPerSecond: string | undefined;
  readonly storedJobs: string | undefined;
  readonly storedBytes: string | undefined;
}

const limitChange = (option: string, text: string | undefined): number | null | undefined => {
  if (text === undefined) return undefined;
  if (text === NO_LIMIT) return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be an integer of at least 1, or ${NO_LIMIT} to remove the limit`);
};

const changeOf = (args: UpdateArguments): ProjectChange => {
  const { displayName } = args;
  const limits = defined({
    activeJobs: limitChange('active-jobs', args.activeJobs),
    filesPerJob: limitChange('files-per-job', args.filesPerJob),
    requestsPerMinute: limitChange('requests-per-minute', args.requestsPerMinute),
    createsPerSecond: limitChange('creates-per-second', args.createsPerSecond),
    filesPerSecond: limitChange('files-per-second', args.filesPerSecond),
    storedJobs: limitChange('stored-jobs', args.storedJobs),
    storedBytes: limitChange('stored-bytes', args.storedBytes),
  });
  const change = {
    ...(displayName !== undefined && { displayName: displayName === '' ? null : displayName }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
  if (Object.keys(change).length > 0) return change;
  const options = Object.keys(UPDATE_OPTIONS).map((name) => `--${name}`);
  throw new UsageError(
    `Nothing to change. Pass at least one of ${options.join(', ')}. To change the webhook, see: zipjobs webhook --help`,
  );
};

const update: Command<UpdateArguments> = async (args, session) =>
  outputOf(await session.administration.projects().update(args.project, changeOf(args)));

interface OneArguments extends GlobalArguments {
  readonly project: string | undefined;
}

const show: Command<OneArguments> = async ({ project }, session) =>
  outputOf(await session.administration.projects().show(project ?? session.namespace));

const remove: Command<
  GlobalArguments & { readonly project: string; readonly yes: boolean | undefined }
> = async (args, session) => {
  const projects = session.administration.projects();
  const { namespace } = await projects.show(args.project);
  await confirmed(
    session,
    `Delete project "${namespace}" and cancel its jobs? Its access tokens stop working.`,
    args,
  );
  await projects.delete(namespace);
  return {
    value: { namespace, deleted: true },
    text: `Deleting project "${namespace}". Its access tokens stop working at once, and its jobs are being cancelled.`,
    notes: [
      `The tokens work again if a project is created in this namespace. Delete them with: kubectl delete ziptokens --all -n ${namespace}`,
      `This takes up to five minutes, until its jobs are finished and its buckets are deleted. Check with: zipjobs project show ${namespace}`,
    ],
  };
};

const purge: Command<
  GlobalArguments & {
    readonly project: string;
    readonly yes: boolean | undefined;
    readonly timeout: number;
  }
> = async (args, session) => {
  const projects = session.administration.projects();
  const { namespace } = await projects.show(args.project);
  await confirmed(
    session,
    `Delete the records of all jobs of project "${namespace}" from the history? This cannot be undone.`,
    args,
  );
  const wait = { limitMs: args.timeout * 1000, signal: session.signal };
  const { records, finishedAt } = await projects.purgeHistory(namespace, wait);
  return {
    value: { namespace, records, finishedAt },
    text: `Deleted ${records} ${records === 1 ? 'record' : 'records'} of project "${namespace}" from the history.`,
    notes: [
      `ZipJobs and archives are kept. Jobs that finished meanwhile or finish later are recorded. List the ZipJobs with: zipjobs job list -n ${namespace}`,
    ],
  };
};

const LIMITS = {
  'active-jobs': 'Maximum number of jobs that run at once',
  'files-per-job': 'Maximum number of files in one archive',
  'requests-per-minute': 'Maximum number of API requests per minute',
  'creates-per-second': 'Maximum number of creates per second',
  'files-per-second': 'Maximum number of files in creates per second',
  'stored-jobs': 'Maximum number of stored jobs',
  'stored-bytes': 'Maximum bytes of the stored jobs and their file lists',
} as const;

const limit = (name: keyof typeof LIMITS) =>
  ({ type: 'number', requiresArg: true, describe: LIMITS[name] }) as const;

const changedLimit = (name: keyof typeof LIMITS) =>
  ({
    type: 'string',
    requiresArg: true,
    describe: `${LIMITS[name]}; ${NO_LIMIT} removes the limit`,
  }) as const;

const CREATE_OPTIONS = {
  'create-namespace': {
    type: 'boolean',
    describe: 'Create the namespace if it does not exist',
  },
  'display-name': { type: 'string', requiresArg: true, describe: 'Display name' },
  'active-jobs': limit('active-jobs'),
  'files-per-job': limit('files-per-job'),
  'requests-per-minute': limit('requests-per-minute'),
  'creates-per-second': limit('creates-per-second'),
  'files-per-second': limit('files-per-second'),
  'stored-jobs': limit('stored-jobs'),
  'stored-bytes': limit('stored-bytes'),
  wait: { type: 'boolean', default: true, describe: 'Wait until the project is ready' },
  timeout: TIMEOUT(60),
} as const;

const UPDATE_OPTIONS = {
  'display-name': { type: 'string', requiresArg: true, describe: "Display name; '' removes it" },
  'active-jobs': changedLimit('active-jobs'),
  'files-per-job': changedLimit('files-per-job'),
  'requests-per-minute': changedLimit('requests-per-minute'),
  'creates-per-second': changedLimit('creates-per-second'),
  'files-per-second': changedLimit('files-per-second'),
  'stored-jobs': changedLimit('stored-jobs'),
  'stored-bytes': changedLimit('stored-bytes'),
} as const;

const PROJECT = { type: 'string', demandOption: true, describe: 'Namespace of the project' } as const;

export const addProjectCommands: CommandGroup = (parser, run) =>
  parser.command('project', 'Manage projects: namespaces with their own buckets, tokens and jobs', (group) =>
    group
      .command('list', 'List the projects that you have access to', (args) => args, run(list))
      .command(
        'show [project]',
        'Show the state, the class and the limits of a project',
        (args) => args.positional('project', { type: 'string', describe: 'Namespace of the project' }),
        run(show),
      )
      .command(
        'create <project>',
        'Create a project in a namespace',
        (args) =>
          args
            .positional('project', PROJECT)
            .options(CREATE_OPTIONS)
            .example('$0 project create acme --create-namespace', 'Create a project and its namespace'),
        run(create),
      )
      .command(
        'update <project>',
        'Change the given settings and keep the others',
        (args) =>
          args
            .positional('project', PROJECT)
            .options(UPDATE_OPTIONS)
            .example(
              '$0 project update acme --active-jobs 20 --files-per-job none',
              'Set one limit and remove another',
            ),
        run(update),
      )
      .command(
        'delete <project>',
        'Delete a project: its tokens stop working and its jobs are cancelled',
        (args) => args.positional('project', PROJECT).option('yes', YES),
        run(remove),
      )
      .command(
        'purge <project>',
        'Delete the records of all jobs of a project from the history; ZipJobs are kept',
        (args) => args.positional('project', PROJECT).options({ yes: YES, timeout: TIMEOUT(300) }),
        run(purge),
      )
      .demandCommand(1, 'Choose a command: list, show, create, update, delete, purge'),
  );
