import type { Job } from '#administration/jobs/job-view.ts';
import { bytesReadText, percentDone, speedTexts } from '#administration/jobs/progress-text.ts';
import { printable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Two, so that the bar does not change with each digit of the figures. */
const BAR_WIDTHS = [20, 10];

function bar(percent: number, width: number): string {
  const done = Math.floor((percent * width) / 100);
  return `[${'='.repeat(done)}${' '.repeat(width - done)}]`;
}

function phaseOf({ phase }: Job): string {
  return phase ?? 'Queued';
}

type Progress = NonNullable<Job['progress']>;

/** All figures, and fewer of them for a narrow terminal. */
function figuresOf(progress: Progress, { files }: Job): readonly (readonly string[])[] {
  const percent = `${percentDone(progress)} %`;
  const [count, bytes] = [`${progress.filesDone} of ${files.count} files`, bytesReadText(progress)];
  const speed = speedTexts(progress);
  return [
    [percent, count, bytes, ...speed],
    [percent, bytes, ...speed],
    [percent, ...speed],
  ];
}

/** The figures while they change; before and after, the reason says more. */
function figures(job: Job): readonly string[] {
  const { phase, progress, reason } = job;
  if (phase !== 'Running' || progress === null) return reason === null ? [] : [reason];
  return figuresOf(progress, job)[0] ?? [];
}

/** As many figures as fit beside a bar, whose presence says that the job is running. */
function withBar(progress: Progress, job: Job, columns: number): string | undefined {
  for (const parts of figuresOf(progress, job)) {
    const text = `  ${printable(parts.join(', '))}`;
    const width = BAR_WIDTHS.find((one) => one + '[]'.length + text.length <= columns);
    if (width !== undefined) return `${bar(percentDone(progress), width)}${text}`;
  }
  return undefined;
}

/** `zip-1  Running  40 %, 4 of 10 files, 2.0 GiB of 4.1 GiB, 80.2 MiB/s, about 20 s left`. */
export function progressLine(job: Job): string {
  return [job.name, phaseOf(job), figures(job).join(', ')].filter((part) => part !== '').join('  ');
}

/** The same for a terminal, with a bar if there is room, at most this wide. */
export function progressBarLine(job: Job, columns: number): string {
  const { phase, progress } = job;
  const line = phase === 'Running' && progress !== null ? withBar(progress, job, columns) : undefined;
  return line ?? `${phaseOf(job)}  ${printable(figures(job).join(', '))}`.slice(0, columns);
}

/** Shows the state of a job: rewrites one line of a terminal, or prints a line per change. */
export function createProgressPrinter(terminal: Terminal) {
  let last = '';
  return (job: Job): void => {
    // The last column stays empty: some terminals would start a new line after it.
    if (terminal.columns !== undefined) {
      terminal.rewrite(progressBarLine(job, terminal.columns - 1));
      return;
    }
    const line = progressLine(job);
    if (line !== last) terminal.note(line);
    last = line;
  };
}
