import { expect } from 'chai';
import {
  defaultDeadlineSeconds,
  settingsFor,
  withLeastMemory,
  zipperMemoryBytes,
} from '#controller/zip-job/policies/archive-size.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { JOB_LIMITS, MOST_ARCHIVE_BYTES } from '#runtime/zip-request/job-limits.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { judge } from '#test/support/builders/judge.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { parseTask } from '#zipper-image/tasks/task.ts';

const MIB = 1024 ** 2;
const TIB = 1024 ** 4;

function createdJob(job: Job | undefined) {
  const { activeDeadlineSeconds, template } = job?.spec ?? {};
  const task = template?.metadata?.annotations?.['zipjobs.dev/task'] ?? '';
  const { settings } = parseTask(task);
  return { activeDeadlineSeconds, settings, resources: template?.spec?.containers[0]?.resources };
}

describe('the settings of a job', () => {
  const config = aConfig({ taskSettings: { sourceConcurrency: 3 } });

  it('are those of the operator if the project has the built-in limit of archives (G11)', () => {
    expect(settingsFor(JOB_LIMITS.archiveBytes, config)).to.equal(config);
  });

  it('have larger parts and more time if archives may be larger, and smaller parts if not (G11)', () => {
    expect(settingsFor(MOST_ARCHIVE_BYTES, config)).to.deep.equal({
      ...config,
      activeDeadlineSeconds: Math.ceil((7200 * 5 * 1024) / 150),
      taskSettings: {
        sourceConcurrency: 3,
        maxArchiveBytes: MOST_ARCHIVE_BYTES,
        partSizeBytes: 1024 * MIB,
      },
    });
    expect(settingsFor(MIB, config)).to.deep.include({
      activeDeadlineSeconds: 7200,
      taskSettings: { sourceConcurrency: 3, maxArchiveBytes: MIB, partSizeBytes: 5 * MIB },
    });
    expect(defaultDeadlineSeconds(2 * JOB_LIMITS.archiveBytes, { activeDeadlineSeconds: 60 })).to.equal(120);
  });

  it('reach the Job: its task, its time limit and its memory (G11)', () => {
    const { actions } = judge({ zipJob: aZipJob(), maxArchiveBytes: TIB }, config);
    const create = actions.find((action) => action.kind === 'createJob');
    const made = createdJob(create?.job);
    expect(made.activeDeadlineSeconds).to.equal(Math.ceil((7200 * 1024) / 150));
    expect(made.settings).to.include({ maxArchiveBytes: TIB, partSizeBytes: 128 * MIB });
    expect(made.resources).to.nested.include({ 'requests.memory': '560Mi', 'limits.memory': '816Mi' });
  });
});

describe('the memory of a zipper', () => {
  it('is 256 MiB up to 150 GiB, and above that follows from the parts (H10) (G11)', () => {
    expect(zipperMemoryBytes({})).to.equal(256 * MIB);
    expect(zipperMemoryBytes({ maxArchiveBytes: 78 * 1024 * MIB })).to.equal(256 * MIB);
    expect(zipperMemoryBytes({ maxArchiveBytes: MOST_ARCHIVE_BYTES })).to.equal((176 + 3 * 1024) * MIB);
    expect(zipperMemoryBytes({ storeBufferBytes: 96 * MIB, sourceBufferBytes: 32 * MIB })).to.equal(
      288 * MIB,
    );
    expect(zipperMemoryBytes({ maxArchiveBytes: 16 * MIB })).to.equal(160 * MIB);
  });

  for (const [what, given, expected] of [
    ['raises what is too little', { memory: '128Mi' }, { memory: '256Mi' }],
    ['raises what is too little in another unit', { memory: '0.2G', cpu: 1 }, { memory: '256Mi', cpu: 1 }],
    ['keeps what is more', { memory: '1Gi' }, { memory: '1Gi' }],
    ['keeps what is more, as a fraction', { memory: '0.5Gi' }, { memory: '0.5Gi' }],
    ['keeps bytes', { memory: 300 * MIB }, { memory: 300 * MIB }],
    ['adds none', { cpu: '1' }, { cpu: '1' }],
    ['leaves what is no quantity to the API server', { memory: 'much' }, { memory: 'much' }],
  ] as const)
    it(`${what} (G11)`, () => {
      expect(withLeastMemory({ requests: given }, {})).to.deep.equal({ requests: expected });
    });

  for (const [given, limit] of [
    ['255Mi', '512Mi'],
    ['256Mi', '256Mi'],
    ['400Mi', '400Mi'],
  ] as const)
    it(`has a limit of ${limit} if ${given} were given, because connections need some (G11)`, () => {
      expect(withLeastMemory({ limits: { memory: given } }, {})).to.deep.equal({ limits: { memory: limit } });
    });
});
