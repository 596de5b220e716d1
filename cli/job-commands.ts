import type { Argv } from 'yargs';
import type { Job } from '#administration/job-view.ts';
import { jobsOf } from './administration-of.ts';
import type { Answer } from './answer.ts';
import type { Command, CommandGroup, Run } from './command.ts';
import { confirmed } from './confirm.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { addListCommand } from './job-list-command.ts';
import { jobText, progressText } from './job-text.ts';
import { TIMEOUT, YES } from './options.ts';
import type { Session } from './session.ts';
import { atLeastOne } from './whole-number.ts';

const answerOf = (job: Job): Answer => ({ value: job, text: jobText(job) });

interface OneArguments extends GlobalArguments {
  readonly job: string;
}
interface WaitArguments extends OneArguments {
  readonly timeout: number;
}

const limitMsOf = ({ timeout }: WaitArguments): number => atLeastOne('timeout', timeout) * 1000;

const ended = async ({ job, ...args }: WaitArguments, session: Session): Promise<Answer> => {
  let last = '';
  const wait = { limitMs: limitMsOf({ job, ...args }), signal: session.signal };
  const end = await jobsOf(session).untilEnded(job, wait, (now) => {
    const line = progressText(now);
    if (line !== last) session.terminal.note(line);
    last = line;
  });
  return { ...answerOf(end), exitCode: end.phase === 'Succeeded' ? EXIT_CODES.ok : EXIT_CODES.failed };
};

const get: Command<WaitArguments & { readonly watch: boolean | undefined }> = async (args, session) =>
  args.watch === true ? ended(args, session) : answerOf(await jobsOf(session).show(args.job));

const cancel: Command<OneArguments & { readonly yes: boolean | undefined }> = async (args, session) => {
  const jobs = jobsOf(session);
  const { name } = await jobs.show(args.job);
  await confirmed(session, `Cancel job ${name}? It ends without an archive.`, args);
  const job = await jobs.cancel(args.job);
  return {
    value: job,
    text: `Job ${job.name} is being cancelled.`,
    notes: [`See its end: zipjobs job wait ${job.id} -n ${job.project}`],
  };
};

const runAgain: Command<WaitArguments & { readonly wait: boolean | undefined }> = async (args, session) => {
  const job = await jobsOf(session).runAgain(args.job);
  if (args.wait === true) return ended({ ...args, job: job.name }, session);
  return {
    value: job,
    text: `Job ${job.name} runs ${args.job} again; its id is ${job.id}.`,
    notes: [`See its end: zipjobs job wait ${job.name} -n ${job.project}`],
  };
};

const lastAnswer = ({ webhook }: Job): string => {
  const last = webhook?.log?.at(-1);
  return last?.status === undefined ? (last?.error ?? 'no answer') : `HTTP ${last.status}`;
};

const replayWebhook: Command<WaitArguments> = async (args, session) => {
  const wait = { limitMs: limitMsOf(args), signal: session.signal };
  const job = await jobsOf(session).replayWebhook(args.job, wait);
  const { state, nextAttemptAt } = job.webhook ?? {};
  const what = `The event of job ${job.name} was`;
  if (state === 'Delivered')
    return { value: job, text: `${what} delivered (${lastAnswer(job)}).`, exitCode: EXIT_CODES.ok };
  return {
    value: job,
    text: `${what} sent, but not taken (${lastAnswer(job)}).`,
    notes: nextAttemptAt === undefined ? [] : [`It is sent again at ${nextAttemptAt}`],
    exitCode: EXIT_CODES.failed,
  };
};

const logs: Command<OneArguments & { readonly lines: number }> = async (args, session) => {
  const lines = atLeastOne('lines', args.lines);
  const log = await jobsOf(session).log(args.job, { lines, signal: session.signal });
  return { value: log, text: log.lines.join('\n') };
};

const JOB = { type: 'string', demandOption: true, describe: 'Its id, or the name of its ZipJob' } as const;
const addLooking = (group: Argv<GlobalArguments>, run: Run): Argv<GlobalArguments> =>
  group
    .command(
      ['get <job>', 'show <job>'],
      'Shows a job: where it stands, which file failed, and what happened to it',
      (args) =>
        args.positional('job', JOB).options({
          watch: { type: 'boolean', describe: 'Wait for its end and tell how it gets on' },
          timeout: TIMEOUT(3600),
        }),
      run(get),
    )
    .command(
      'wait <job>',
      'Waits for the end of a job; the exit code is 0 when its archive is there, 1 when it failed',
      (args) => args.positional('job', JOB).option('timeout', TIMEOUT(3600)),
      run(ended),
    )
    .command(
      'logs <job>',
      'Prints the last lines of the zipper of a job',
      (args) =>
        args
          .positional('job', JOB)
          .option('lines', { type: 'number', default: 100, requiresArg: true, describe: 'How many' }),
      run(logs),
    );

const addActing = (group: Argv<GlobalArguments>, run: Run): Argv<GlobalArguments> =>
  group
    .command(
      'cancel <job>',
      'Ends a job without an archive',
      (args) => args.positional('job', JOB).option('yes', YES),
      run(cancel),
    )
    .command(
      'run-again <job>',
      'Makes a new job of one that has ended, while its file list is kept',
      (args) =>
        args.positional('job', JOB).options({
          wait: { type: 'boolean', describe: 'Wait for its end' },
          timeout: TIMEOUT(3600),
        }),
      run(runAgain),
    )
    .command(
      'replay-webhook <job>',
      'Sends the event of a job once more, with the same id',
      (args) => args.positional('job', JOB).option('timeout', TIMEOUT(60)),
      run(replayWebhook),
    );

export const addJobCommands: CommandGroup = (parser, run) =>
  parser.command('job', 'Jobs: what runs, why it failed; cancel it, run it again', (group) =>
    addActing(addLooking(addListCommand(group, run), run), run).demandCommand(
      1,
      'Say what to do: list, get, wait, logs, cancel, run-again, replay-webhook',
    ),
  );
