import type { Argv } from 'yargs';
import { deliveryResponse } from '#administration/jobs/delivery-response.ts';
import type { Job } from '#administration/jobs/job-view.ts';
import type { Command, CommandGroup, Run } from './command.ts';
import { confirmed } from './confirm.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { liveOrArchived } from './history/live-or-archived.ts';
import { addListCommand } from './job-list-command.ts';
import { jobText, progressText } from './job-text.ts';
import { DASHBOARD, TIMEOUT, YES } from './options.ts';
import type { Output } from './output.ts';
import type { Session } from './session.ts';
import { waitOptions } from './wait-options.ts';
import { atLeastOne } from './whole-number.ts';

function outputOf(job: Job): Output {
  return { value: job, text: jobText(job) };
}

function endOf(job: Job): Output {
  return {
    ...outputOf(job),
    exitCode: job.phase === 'Succeeded' ? EXIT_CODES.ok : EXIT_CODES.failed,
  };
}

interface OneArguments extends GlobalArguments {
  readonly job: string;
}

interface WaitArguments extends OneArguments {
  readonly timeout: number;
}

async function ended(
  { job, ...args }: { readonly job: string | Job; readonly timeout: number },
  session: Session,
): Promise<Output> {
  let last = '';
  const wait = waitOptions(args, session);
  const end = await session.administration.jobs(session.namespace).untilEnded(job, wait, (now) => {
    const line = progressText(now);
    if (line !== last) session.terminal.note(line);
    last = line;
  });
  return endOf(end);
}

interface FindArguments extends WaitArguments {
  readonly dashboard: string | undefined;
}

const wait: Command<FindArguments> = (args, session) =>
  liveOrArchived(args, session, { live: (job) => ended({ ...args, job }, session), toOutput: endOf });

const get: Command<FindArguments & { readonly watch: boolean | undefined }> = (args, session) => {
  if (args.watch === true) return wait(args, session);
  const jobs = session.administration.jobs(session.namespace);
  return liveOrArchived(args, session, {
    live: async (job) => outputOf(await jobs.show(job)),
    toOutput: outputOf,
  });
};

const cancel: Command<OneArguments & { readonly yes: boolean | undefined }> = async (args, session) => {
  const jobs = session.administration.jobs(session.namespace);
  const { name } = await jobs.show(args.job);
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
  const text = `Job "${job.name}" created as a rerun of "${args.job}". Its id is ${job.id}.`;
  if (args.wait === true) {
    // Whatever ends the wait, the job exists.
    session.terminal.note(text);
    return ended({ ...args, job }, session);
  }
  return {
    value: job,
    text,
    notes: [`Wait for it with: zipjobs job wait ${job.name} -n ${job.project}`],
  };
};

function lastResponse({ webhook }: Job): string {
  const last = webhook?.log?.at(-1);
  return deliveryResponse(last ?? {});
}

const replayWebhook: Command<WaitArguments> = async (args, session) => {
  const job = await session.administration
    .jobs(session.namespace)
    .replayWebhook(args.job, waitOptions(args, session));
  const { state, nextAttemptAt } = job.webhook ?? {};
  const what = `Event of job "${job.name}"`;
  if (state === 'Delivered')
    return { value: job, text: `${what} delivered (${lastResponse(job)}).`, exitCode: EXIT_CODES.ok };
  return {
    value: job,
    text: `${what} not delivered (${lastResponse(job)}).`,
    notes: nextAttemptAt === undefined ? [] : [`Next attempt at ${nextAttemptAt}`],
    exitCode: EXIT_CODES.failed,
  };
};

const logs: Command<OneArguments & { readonly lines: number }> = async (args, session) => {
  const lines = atLeastOne('lines', args.lines);
  const log = await session.administration
    .jobs(session.namespace)
    .log(args.job, { lines, signal: session.signal });
  return { value: log, text: log.lines.join('\n') };
};

const JOB = { type: 'string', demandOption: true, describe: 'ID of the job, or name of its ZipJob' } as const;

function addReadCommands(group: Argv<GlobalArguments>, run: Run): Argv<GlobalArguments> {
  return group
    .command(
      ['get <job>', 'show <job>'],
      'Show a job: its status, timeline and failing files',
      (args) =>
        args.positional('job', JOB).options({
          watch: { type: 'boolean', describe: 'Print progress until the job finishes' },
          dashboard: DASHBOARD,
          timeout: TIMEOUT('1h'),
        }),
      run(get),
    )
    .command(
      'wait <job>',
      'Wait until a job finishes; the exit code is 0 if it succeeded and 1 if it failed',
      (args) => args.positional('job', JOB).options({ dashboard: DASHBOARD, timeout: TIMEOUT('1h') }),
      run(wait),
    )
    .command(
      'logs <job>',
      'Print the last log lines of the zipper of a job',
      (args) =>
        args
          .positional('job', JOB)
          .option('lines', { type: 'number', default: 100, requiresArg: true, describe: 'Number of lines' }),
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
      'Create a new job from a finished one while its file list is still stored',
      (args) =>
        args.positional('job', JOB).options({
          wait: { type: 'boolean', describe: 'Wait until the new job finishes' },
          timeout: TIMEOUT('1h'),
        }),
      run(runAgain),
    )
    .command(
      'replay-webhook <job>',
      'Resend the event of a job with the same id',
      (args) => args.positional('job', JOB).option('timeout', TIMEOUT('60s')),
      run(replayWebhook),
    );
}

export const addJobCommands: CommandGroup = (parser, run) =>
  parser.command('job', 'Inspect, cancel and rerun jobs', (group) =>
    addWriteCommands(addReadCommands(addListCommand(group, run), run), run).demandCommand(
      1,
      'Choose a command: list, get, wait, logs, cancel, run-again, replay-webhook',
    ),
  );
