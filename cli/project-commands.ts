import { countText } from '#administration/jobs/count-text.ts';
import type { DeletedProject } from '#administration/projects/delete-project.ts';
import type { ProjectLimits } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { type Command, type CommandGroup, NO_COMMAND } from './command.ts';
import { confirmed } from './confirm.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { TIMEOUT, YES } from './options.ts';
import { PROJECT, PROJECT_LIMITS } from './project-options.ts';
import { outputOf, stateOf } from './project-text.ts';
import { addProjectUpdate } from './project-update-command.ts';
import { toTable } from './table.ts';
import { waitOptions } from './wait-options.ts';

const list: Command<GlobalArguments> = async (_args, session) => {
  const { projects, onlyOf } = await session.administration
    .projects()
    .list({ namespaces: session.knownNamespaces });
  const rows = projects.map((project) => [
    project.namespace,
    project.displayName,
    stateOf(project, session.terminal.isDecorated),
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
  readonly archiveBytes: number | undefined;
  readonly requestsPerMinute: number | undefined;
  readonly createsPerSecond: number | undefined;
  readonly filesPerSecond: number | undefined;
  readonly storedJobs: number | undefined;
  readonly storedBytes: number | undefined;
  readonly createNamespace: boolean | undefined;
  readonly wait: boolean;
  readonly timeout: number;
}

function limitsOf(args: CreateArguments): Partial<ProjectLimits> {
  const { activeJobs, filesPerJob, archiveBytes, storedJobs, storedBytes } = args;
  const { requestsPerMinute, createsPerSecond, filesPerSecond } = args;
  const rates = { requestsPerMinute, createsPerSecond, filesPerSecond };
  return defined({ activeJobs, filesPerJob, archiveBytes, ...rates, storedJobs, storedBytes });
}

const create: Command<CreateArguments> = async (args, session) => {
  const projects = session.administration.projects();
  const { project: namespace, displayName, createNamespace = false } = args;
  const created = await projects.create({
    namespace,
    createNamespace,
    limits: limitsOf(args),
    ...defined({ displayName }),
  });
  const project = args.wait ? await projects.untilReady(namespace, waitOptions(args, session)) : created;
  return { ...outputOf(project, session), notes: [`Next: zipjobs bucket create BUCKET -n ${namespace}`] };
};

interface OneArguments extends GlobalArguments {
  readonly project: string | undefined;
}

const show: Command<OneArguments> = async ({ project }, session) =>
  outputOf(await session.administration.projects().show(project ?? session.namespace), session);

interface DeleteArguments extends GlobalArguments {
  readonly project: string;
  readonly yes: boolean | undefined;
  readonly withTokens: boolean;
  readonly withBuckets: boolean;
  readonly wait: boolean;
  readonly timeout: number;
}

function alsoText({ tokens, buckets }: Pick<DeletedProject, 'tokens' | 'buckets'>): string {
  const also = [
    ...(tokens > 0 ? [countText(tokens, 'access token')] : []),
    ...(buckets > 0 ? [countText(buckets, 'bucket')] : []),
  ];
  return also.length === 0 ? '' : ` with ${also.join(' and ')}`;
}

function notDeleted(problem: string): string {
  return `Not deleted: ${problem}`;
}

function afterDeletion(args: DeleteArguments, namespace: string): readonly string[] {
  return [
    ...(args.withTokens
      ? []
      : [
          `The tokens work again if a project is created in this namespace. Delete them with: kubectl delete ziptokens --all -n ${namespace}`,
        ]),
    ...(args.wait
      ? []
      : [
          `This takes up to five minutes, until its jobs are finished and its buckets are deleted. Check with: zipjobs project show ${namespace}`,
        ]),
  ];
}

/** What nobody can restore. */
function lostText({ withTokens, withBuckets }: DeleteArguments): string {
  const lost = [
    ...(withTokens ? ['its access tokens'] : []),
    ...(withBuckets ? ['its buckets with their credentials'] : []),
  ];
  return lost.length === 0 ? '' : ` This also deletes ${lost.join(' and ')}, for good.`;
}

const remove: Command<DeleteArguments> = async (args, session) => {
  const projects = session.administration.projects();
  const { namespace } = await projects.show(args.project);
  await confirmed(
    session,
    `Delete project "${namespace}" and cancel its jobs? Its access tokens stop working.${lostText(args)}`,
    args,
  );
  const { problems, ...deleted } = await projects.delete(namespace, {
    tokens: args.withTokens,
    buckets: args.withBuckets,
  });
  const started = `Deleting project "${namespace}"${alsoText(deleted)}. Its access tokens stop working at once, and its jobs are being cancelled.`;
  if (args.wait) {
    session.terminal.note(started);
    // The wait may end with an error.
    for (const problem of problems) session.terminal.note(notDeleted(problem));
    await projects.untilDeleted(namespace, waitOptions(args, session));
  }
  return {
    value: { namespace, deleted: true, gone: args.wait, ...deleted, problems },
    text: args.wait ? `Project "${namespace}" deleted.` : started,
    notes: [...(args.wait ? [] : problems.map(notDeleted)), ...afterDeletion(args, namespace)],
    exitCode: problems.length === 0 ? EXIT_CODES.ok : EXIT_CODES.failed,
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
  const { records, finishedAt } = await projects.purgeHistory(namespace, waitOptions(args, session));
  return {
    value: { namespace, records, finishedAt },
    text: `Deleted ${records} ${records === 1 ? 'record' : 'records'} of project "${namespace}" from the history.`,
    notes: [
      `ZipJobs and archives are kept. Jobs that finished meanwhile or finish later are recorded. List the ZipJobs with: zipjobs job list -n ${namespace}`,
    ],
  };
};

function limit(name: keyof typeof PROJECT_LIMITS) {
  return { type: 'number', requiresArg: true, describe: PROJECT_LIMITS[name] } as const;
}

const CREATE_OPTIONS = {
  'create-namespace': {
    type: 'boolean',
    describe: 'Create the namespace if it does not exist',
  },
  'display-name': { type: 'string', requiresArg: true, describe: 'Display name' },
  'active-jobs': limit('active-jobs'),
  'files-per-job': limit('files-per-job'),
  'archive-bytes': limit('archive-bytes'),
  'requests-per-minute': limit('requests-per-minute'),
  'creates-per-second': limit('creates-per-second'),
  'files-per-second': limit('files-per-second'),
  'stored-jobs': limit('stored-jobs'),
  'stored-bytes': limit('stored-bytes'),
  wait: { type: 'boolean', default: true, describe: 'Wait until the project is ready' },
  timeout: TIMEOUT('60s'),
} as const;

const DELETE_OPTIONS = {
  yes: YES,
  'with-tokens': {
    type: 'boolean',
    default: false,
    describe: 'Also delete the access tokens; otherwise they work again in a new project of the namespace',
  },
  'with-buckets': {
    type: 'boolean',
    default: false,
    describe: 'Also delete the buckets and their credentials from zipjobs; buckets at the provider are kept',
  },
  wait: { type: 'boolean', default: false, describe: 'Wait until the project is deleted' },
  timeout: TIMEOUT('10m'),
} as const;

const addFirstCommands: CommandGroup = (group, run) =>
  group
    .command('list', 'List the projects that you have access to', (args) => args, run(list))
    .command(
      'show [project]',
      'Show the state, the class, the limits and the history retention of a project',
      (args) => args.positional('project', { type: 'string', describe: 'Namespace of the project' }),
      run(show),
    )
    .command(
      'create <project>',
      'Create a project in a namespace',
      (args) =>
        args
          .positional('project', PROJECT)
          .hide('namespace')
          .hide('n')
          .options(CREATE_OPTIONS)
          .example('$0 project create acme --create-namespace', 'Create a project and its namespace'),
      run(create),
    );

const addLastCommands: CommandGroup = (group, run) =>
  group
    .command(
      'delete <project>',
      'Delete a project: its tokens stop working and its jobs are cancelled',
      (args) => args.positional('project', PROJECT).hide('namespace').hide('n').options(DELETE_OPTIONS),
      run(remove),
    )
    .command(
      'purge <project>',
      'Delete the job history of a project; jobs in the cluster stay',
      (args) =>
        args
          .positional('project', PROJECT)
          .hide('namespace')
          .hide('n')
          .options({ yes: YES, timeout: TIMEOUT('5m') }),
      run(purge),
    );

export const addProjectCommands: CommandGroup = (parser, run) =>
  parser.command('project', 'Manage projects: namespaces with their own buckets, tokens and jobs', (group) =>
    addLastCommands(addProjectUpdate(addFirstCommands(group, run), run), run).demandCommand(1, NO_COMMAND),
  );
