import type { Argv } from 'yargs';
import { deliveryResponse } from '#administration/jobs/delivery-response.ts';
import type { Job } from '#administration/jobs/job-view.ts';
import { resendFailure } from '#administration/webhooks/resend-failure.ts';
import { findEndpoint } from '#crds/webhook-endpoints.ts';
import { TERMINAL_PHASES, type WebhookState } from '#crds/zip-job.ts';
import { type Command, type CommandGroup, NO_COMMAND, type Run } from './command.ts';
import { confirmed } from './confirm.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { liveOrArchived } from './history/live-or-archived.ts';
import { addCreateCommand } from './job-create-command.ts';
import { addListCommand } from './job-list-command.ts';
import { jobText } from './job-text.ts';
import { createdOutput, endOf, untilEnded } from './job-wait.ts';
import { logLineText } from './log-text.ts';
import { DASHBOARD, ENDPOINT, TIMEOUT, YES } from './options.ts';
import type { Output } from './output.ts';
import { printLive } from './print-live.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';
import { waitOptions } from './wait-options.ts';
import { atLeastOne } from './whole-number.ts';

function styleOf(verbose: boolean | undefined, { terminal }: Session) {
  return { isVerbose: verbose === true, isDecorated: terminal.isDecorated };
}

interface OneArguments extends GlobalArguments {
  readonly job: string;
}

interface WaitArguments extends OneArguments {
  readonly timeout: number;
}

interface FindArguments extends WaitArguments {
  readonly dashboard: string | undefined;
  readonly verbose: boolean | undefined;
}

const wait: Command<FindArguments> = (args, session) =>
  liveOrArchived(args, session, {
    live: (job) => untilEnded({ ...args, job }, session),
    toOutput: (job) => endOf(job, styleOf(args.verbose, session)),
  });

const show: Command<FindArguments & { readonly watch: boolean | undefined }> = (args, session) => {
  if (args.watch === true) return wait(args, session);
  const jobs = session.administration.jobs(session.namespace);
  function toOutput(job: Job): Output {
    return { value: job, text: jobText(job, styleOf(args.verbose, session)) };
  }
  return liveOrArchived(args, session, { live: async (job) => toOutput(await jobs.show(job)), toOutput });
};

const cancel: Command<OneArguments & { readonly yes: boolean | undefined }> = async (args, session) => {
  const jobs = session.administration.jobs(session.namespace);
  const { name, phase } = await jobs.show(args.job);
  // A finished job is refused, so there is nothing to confirm.
  if (!TERMINAL_PHASES.some((one) => one === phase))
    await confirmed(session, `Cancel job "${name}"? It will not create an archive.`, args);
  const job = await jobs.cancel(args.job);
  return {
    value: job,
    text: `Cancelling job "${job.name}".`,
    notes: [`Wait for it with: zipjobs job wait ${job.id} -n ${job.project}`],
  };
};

const runAgain: Command<WaitArguments & { readonly wait: boolean | undefined }> = async (args, session) => {
  const job = await session.administration.jobs(session.namespace).runAgain(args.job);
  const text = `Job "${job.name}" created. It runs "${args.job}" again. Its ID is ${job.id}.`;
  return createdOutput({ job, text, name: job.name }, args, session);
};

const resendWebhook: Command<WaitArguments & { readonly endpoint: string }> = async (args, session) => {
  const { endpoint } = args;
  const job = await session.administration
    .jobs(session.namespace)
    .replayWebhook(args.job, waitOptions(args, session), endpoint);
  const delivery = findEndpoint<WebhookState>(job.webhook ?? undefined, endpoint);
  const { state, nextAttemptAt, log, attempts = 0 } = delivery ?? {};
  const response = deliveryResponse(log?.at(-1) ?? {});
  const what = `Event of job "${job.name}"`;
  if (state === 'Delivered')
    return { value: job, text: `${what} delivered (${response}).`, exitCode: EXIT_CODES.ok };
  return {
    value: job,
    // Without an attempt, the last response is that of an earlier delivery.
    text: attempts > 0 ? `${what} not delivered (${response}).` : `${what} ${resendFailure(delivery)}`,
    notes: nextAttemptAt === undefined ? [] : [`Next attempt at ${nextAttemptAt}`],
    exitCode: EXIT_CODES.failed,
  };
};

interface LogsArguments extends OneArguments {
  readonly lines: number;
  readonly follow: boolean | undefined;
}

/** Prints the lines as they arrive. */
async function follow({ job, output }: LogsArguments, lines: number, session: Session): Promise<Output> {
  if (output === 'yaml') throw new UsageError('--follow prints lines: use -o json or leave out -o');
  const { administration, namespace, signal, terminal } = session;
  function shown(line: string): string {
    return output === 'json' ? line : logLineText(line, terminal.isDecorated);
  }
  for await (const line of administration.jobs(namespace).followLog(job, { lines, signal }))
    if (!(await printLive(terminal, `${shown(line)}\n`))) break;
  return { value: null, jsonLines: [], text: '' };
}

const logs: Command<LogsArguments> = async (args, session) => {
  const lines = atLeastOne('lines', args.lines);
  if (args.follow === true) return follow(args, lines, session);
  const log = await session.administration
    .jobs(session.namespace)
    .log(args.job, { lines, signal: session.signal });
  const text = log.lines.map((line) => logLineText(line, session.terminal.isDecorated)).join('\n');
  return { value: log, jsonLines: log.lines, text };
};

const VERBOSE = { type: 'boolean', describe: 'Also show conditions' } as const;
const JOB = {
  type: 'string',
  demandOption: true,
  describe: 'ID of the job or its first characters, name of its ZipJob, or @latest',
} as const;

function addReadCommands(group: Argv<GlobalArguments>, run: Run): Argv<GlobalArguments> {
  return group
    .command(
      ['show <job>', 'get'],
      'Show a job: its status, timeline and failing files',
      (args) =>
        args.positional('job', JOB).options({
          watch: { type: 'boolean', describe: 'Print progress until the job finishes' },
          verbose: VERBOSE,
          dashboard: DASHBOARD,
          timeout: TIMEOUT('1h'),
        }),
      run(show),
    )
    .command(
      'wait <job>',
      'Wait until a job finishes; the exit code is 0 if it succeeded and 1 if it failed',
      (args) =>
        args
          .positional('job', JOB)
          .options({ verbose: VERBOSE, dashboard: DASHBOARD, timeout: TIMEOUT('1h') }),
      run(wait),
    )
    .command(
      'logs <job>',
      'Print the log of a job as text; -o json prints its lines as they are, one JSON object each',
      (args) =>
        args.positional('job', JOB).options({
          lines: { type: 'number', default: 100, requiresArg: true, describe: 'Number of lines' },
          follow: { alias: 'f', type: 'boolean', describe: 'Print new lines until the job finishes' },
        }),
      run(logs),
    );
}

function addWriteCommands(group: Argv<GlobalArguments>, run: Run): Argv<GlobalArguments> {
  return group
    .command(
      'cancel <job>',
      'Cancel a job',
      (args) => args.positional('job', JOB).option('yes', YES),
      run(cancel),
    )
    .command(
      'run-again <job>',
      'Run a finished job again, as long as its file list is stored',
      (args) =>
        args.positional('job', JOB).options({
          wait: { type: 'boolean', describe: 'Wait until the new job finishes' },
          timeout: TIMEOUT('1h'),
        }),
      run(runAgain),
    )
    .command(
      ['resend-webhook <job>', 'replay-webhook'],
      'Resend the event of a job, with the same ID',
      (args) => args.positional('job', JOB).options({ timeout: TIMEOUT('60s'), endpoint: ENDPOINT }),
      run(resendWebhook),
    );
}

export const addJobCommands: CommandGroup = (parser, run) =>
  parser.command('job', 'Create, inspect and cancel jobs, and run them again', (group) =>
    addWriteCommands(
      addReadCommands(addListCommand(addCreateCommand(group, run), run), run),
      run,
    ).demandCommand(1, NO_COMMAND),
  );
