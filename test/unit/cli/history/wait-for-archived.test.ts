import { expect } from 'chai';
import { addJobCommands } from '#cli/job-commands.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { archivedForm } from '#runtime/history/archived-form.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import { runProgram } from '../fake-session.ts';

const ID = '0198b5a0-0000-7000-8000-000000000001';
const NAME = `zip-${ID}`;
const METADATA = { namespace: 'team-a', name: NAME };

/** Runs the command on an API server that responds with these ZipJobs, one for each request, and then with 404. */
function run(
  args: readonly string[],
  { live, archived, env = {} }: { live: readonly ZipJob[]; archived?: ZipJob; env?: Record<string, string> },
) {
  const left = [...live];
  return runProgram(
    {
      groups: [addJobCommands],
      env,
      kube: {
        server: 'https://kubernetes.test',
        request: ({ path }) => {
          if (path.endsWith('/zipjobs')) return Promise.resolve({ metadata: {}, items: [] });
          const zipJob = left.shift();
          if (zipJob !== undefined) return Promise.resolve(zipJob);
          return Promise.reject(
            new KubeError('404 NotFound', { attempt: 'GET /', code: 'NotFound', httpStatus: 404 }),
          );
        },
        stream: () => Promise.reject(new Error('unused')),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      openHistory: () =>
        Promise.resolve({
          list: () => Promise.reject(new Error('unused')),
          refused: () => Promise.reject(new Error('unused')),
          job: () => Promise.resolve(archived && RESOURCES.zipJobs.decode(archivedForm(archived))),
        }),
    },
    ['job', ...args, '-n', 'team-a'],
  );
}

describe('zipjobs job wait for a job whose ZipJob is deleted during the wait', () => {
  const live = [aZipJob({ metadata: METADATA, status: running('p') })];
  const env = { ZIPJOBS_DASHBOARD_URL: 'https://dashboard.test' };

  for (const [phase, exitCode] of [
    ['Succeeded', 0],
    ['Failed', 1],
  ] as const)
    it(`reads its result from the history, and exits with ${exitCode} if it ${phase === 'Failed' ? 'failed' : 'succeeded'}`, async () => {
      const archived = aZipJob({ metadata: METADATA, status: finishedAs(phase) });
      const { code, output, errors } = await run(['wait', ID], { live, archived, env });
      expect(code, errors).to.equal(exitCode);
      expect(output).to.contain(ID).and.contain(phase);
      expect(errors).to.contain('Running').and.contain('This job is from the history');
    });

  it('says that neither has it', async () => {
    const { code, errors } = await run(['wait', ID], { live, env });
    expect(code).to.equal(4);
    expect(errors).to.contain('It may have expired').and.not.contain('ZIPJOBS_DASHBOARD_URL');
  });

  for (const args of [
    ['wait', ID],
    ['get', NAME],
    ['get', NAME, '--watch'],
  ])
    it(`says where the history is set, without a dashboard: ${args.join(' ')}`, async () => {
      const { code, errors } = await run(args, { live: args[0] === 'wait' ? live : [] });
      expect(code).to.equal(4);
      expect(errors).to.contain(
        '. If your installation has a history, set --dashboard or ZIPJOBS_DASHBOARD_URL to the address of the dashboard to find it there\n',
      );
      expect(errors).to.contain(
        'It may have expired. If it belongs to another project, set its namespace with -n. ',
      );
    });

  it('does not mention the history for a name that the history cannot find', async () => {
    const { code, errors } = await run(['get', 'nightly'], { live: [] });
    expect(code).to.equal(4);
    expect(errors).to.contain('"nightly" not found').and.not.contain('ZIPJOBS_DASHBOARD_URL');
  });
});
