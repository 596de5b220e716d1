import { expect } from 'chai';
import { toJob } from '#administration/jobs/job-view.ts';
import { createProgressPrinter, progressBarLine, progressLine } from '#cli/progress-line.ts';
import type { Terminal } from '#cli/terminal.ts';
import type { Progress, ZipJobStatus } from '#crds/zip-job.ts';
import { aZipJob, NAME } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';

const MIB = 1024 ** 2;
const PROGRESS: Progress = {
  podUid: 'p',
  filesTotal: 3,
  filesDone: 1,
  bytesRead: 40 * MIB,
  bytesUploaded: 32 * MIB,
  bytesTotal: 100 * MIB,
  bytesPerSecond: 20 * MIB,
  estimatedEndAt: '2026-01-02T03:04:08Z',
  display: '1/3',
  updatedAt: '2026-01-02T03:04:05Z',
};
const FIGURES = '40 %, 1 of 3 files, 40.0 MiB of 100 MiB, 20.0 MiB/s, about 3 s left';

function job(status?: ZipJobStatus) {
  return toJob(aZipJob({ status: status ?? { phase: 'Running', progress: PROGRESS } }));
}

describe('progress of a job', () => {
  it('has percentage, files, bytes, speed and time left on one line (Q-C2)', () => {
    expect(progressLine(job())).to.equal(`${NAME}  Running  ${FIGURES}`);
    const { bytesTotal: _total, bytesPerSecond: _speed, estimatedEndAt: _end, ...early } = PROGRESS;
    expect(progressLine(job({ phase: 'Running', progress: early }))).to.equal(
      `${NAME}  Running  33 %, 1 of 3 files, 40.0 MiB`,
    );
  });

  it('is the reason while a job waits and after it finished (Q-C2)', () => {
    expect(progressLine(job({ phase: 'Queued', reason: 'ProjectLimit' }))).to.equal(
      `${NAME}  Queued  ProjectLimit`,
    );
    expect(progressLine(job({}))).to.equal(`${NAME}  Queued`);
    const failed = finishedAs('Failed', { reason: 'SourceNotFound', progress: PROGRESS });
    expect(progressBarLine(job(failed), 100)).to.equal('Failed  SourceNotFound');
  });

  it('has a bar on a terminal with room for it (Q-C2)', () => {
    expect(progressBarLine(job(), 120)).to.equal(`[========            ]  ${FIGURES}`);
    expect(progressBarLine(job(), 20)).to.equal(`Running  ${FIGURES}`.slice(0, 20));
  });

  it('has a shorter bar and then fewer figures on a narrow terminal, such as one of 80 columns (Q-C2)', () => {
    expect(progressBarLine(job(), 83)).to.equal(`[====      ]  ${FIGURES}`);
    expect(progressBarLine(job(), 79)).to.equal(
      '[========            ]  40 %, 40.0 MiB of 100 MiB, 20.0 MiB/s, about 3 s left',
    );
    expect(progressBarLine(job(), 48)).to.equal('[====      ]  40 %, 20.0 MiB/s, about 3 s left');
    for (let columns = 1; columns < 120; columns += 1)
      expect(progressBarLine(job(), columns).length).to.be.at.most(columns);
  });

  it('says no time when there is none left (Q-C2)', () => {
    const last = { ...PROGRESS, estimatedEndAt: PROGRESS.updatedAt };
    expect(progressLine(job({ phase: 'Running', progress: last }))).to.match(/20\.0 MiB\/s$/);
  });

  function printed(columns: number | undefined) {
    const notes: string[] = [];
    const lines: string[] = [];
    const terminal = {
      columns,
      note: (text: string) => void notes.push(text),
      rewrite: (line: string) => void lines.push(line),
    } as unknown as Terminal;
    const print = createProgressPrinter(terminal);
    print(job());
    print(job());
    print(job(finishedAs('Succeeded')));
    return { notes, lines };
  }

  it('rewrites one line of a terminal (Q-C2)', () => {
    const { notes, lines } = printed(121);
    expect(notes).to.deep.equal([]);
    expect(lines).to.have.length(3);
    expect(lines[0]).to.equal(`[========            ]  ${FIGURES}`);
  });

  it('prints one line per change elsewhere (Q-C2)', () => {
    const { notes, lines } = printed(undefined);
    expect(lines).to.deep.equal([]);
    expect(notes).to.have.length(2);
    expect(notes[0]).to.equal(`${NAME}  Running  ${FIGURES}`);
  });
});
