import type { Job } from '#administration/jobs/job-view.ts';
import { bytesReadText, percentDone, speedTexts } from '#administration/jobs/progress-text.ts';
import { printable } from './table.ts';
import type { Terminal } from './terminal.ts';

const BAR_WIDTH = 20;

function bar(percent: number): string {
  const done = Math.floor((percent * BAR_WIDTH) / 100);
  return `[${'='.repeat(done)}${' '.repeat(BAR_WIDTH - done)}]`;
}

function phaseOf({ phase }: Job): string {
  return phase ?? 'Queued';
}

/** The figures while they change; before and after, the reason says more. */
function figures({ phase, progress, reason, files }: Job): readonly string[] {
  if (phase !== 'Running' || progress === null) return reason === null ? [] : [reason];
  return [
    `${percentDone(progress)} %`,
    `${progress.filesDone} of ${files.count} files`,
    bytesReadText(progress),
    ...speedTexts(progress),
  ];
}

/** `zip-1  Running  40 %, 4 of 10 files, 2.0 GiB of 4.1 GiB, 80.2 MiB/s, about 20 s left`. */
export function progressLine(job: Job): string {
  return [job.name, phaseOf(job), figures(job).join(', ')].filter((part) => part !== '').join('  ');
}

/** The same for a terminal, with a bar if there is room, at most this wide. */
export function progressBarLine(job: Job, columns: number): string {
  const text = printable(figures(job).join(', '));
  const line = `${phaseOf(job)}  ${text}`;
  const { phase, progress } = job;
  if (phase === 'Running' && progress !== null) {
    const withBar = `${phase}  ${bar(percentDone(progress))}  ${text}`;
    if (withBar.length <= columns) return withBar;
  }
  return line.slice(0, columns);
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
