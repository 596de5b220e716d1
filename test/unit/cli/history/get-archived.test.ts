import { expect } from 'chai';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { addJobCommands } from '#cli/job-commands.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { archivedForm } from '#runtime/history/archived-form.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { runProgram } from '../fake-session.ts';

const ID = '0198b5a0-0000-7000-8000-000000000001';

function aJob(name: string, uid: string): ZipJob {
  return aZipJob({ metadata: { namespace: 'team-a', name, uid }, status: { phase: 'Succeeded' } });
}

const OF_API = aJob(`zip-${ID}`, '0198b5a0-0000-7000-8000-000000000002');
const NIGHTLY = aJob('nightly', ID);

/** Runs the command on a cluster and a history that have these jobs. */
async function run(
  args: readonly string[],
  { live, history }: { live?: ZipJob; history: () => ZipJob | undefined },
) {
  const calls: string[] = [];
  const asked: string[] = [];
  const printed = await runProgram(
    {
      groups: [addJobCommands],
      env: { ZIPJOBS_DASHBOARD_URL: 'https://dashboard.test' },
      kube: {
        server: 'https://kubernetes.test',
        request: async ({ path }) => {
          await Promise.resolve();
          const name = path.split('/').at(-1) ?? '';
          calls.push(name);
          if (name === 'zipjobs') return { metadata: {}, items: live ? [live] : [] };
          if (live && name === live.metadata.name) return live;
          throw new KubeError('404 NotFound', { attempt: 'GET /', code: 'NotFound', httpStatus: 404 });
        },
        stream: () => Promise.reject(new Error('unused')),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
      openHistory: () =>
        Promise.resolve({
          list: () => Promise.reject(new Error('unused')),
          refused: () => Promise.reject(new Error('unused')),
          job: async (_project, id) => {
            await Promise.resolve();
            asked.push(id);
            const archived = history();
            return archived && RESOURCES.zipJobs.decode(archivedForm(archived));
          },
        }),
    },
    ['job', ...args, '-n', 'team-a'],
  );
  return { ...printed, lists: calls.filter((name) => name === 'zipjobs').length, asked };
}

function away(): never {
  throw new AdministrationError('The history is away', { code: 'Unreachable' });
}

describe('zipjobs job get with a history', () => {
  for (const given of [ID, ID.toUpperCase(), `zip-${ID}`, `ZIP-${ID.toUpperCase()}`])
    it(`does not list the project for a job of the API that only the history has: ${given} (UI9, UI31)`, async () => {
      for (const command of ['get', 'wait']) {
        const { code, output, errors, lists, asked } = await run([command, given], { history: () => OF_API });
        expect([code, lists], errors).to.deep.equal([0, 0]);
        expect(output).to.contain(ID);
        expect(asked).to.deep.equal([ID]);
      }
    });

  it('prefers a job of the cluster to its record in the history, and to a history that fails (UI9)', async () => {
    for (const history of [() => NIGHTLY, () => undefined, away]) {
      const { code, output, errors } = await run(['get', ID], { live: NIGHTLY, history });
      expect([code, errors]).to.deep.equal([0, '']);
      expect(output).to.contain('nightly');
    }
  });

  it('finds a job of kubectl in the history by its uid (UI9)', async () => {
    const { code, output, lists } = await run(['get', ID], { history: () => NIGHTLY });
    expect([code, lists]).to.deep.equal([0, 1]);
    expect(output).to.contain('nightly');
  });

  it('reports a history that fails if the cluster does not have the job (UI9)', async () => {
    const { code, errors } = await run(['get', ID], { history: away });
    expect([code, errors]).to.deep.equal([5, 'zipjobs: The history is away\n']);
  });

  it('reports a job that neither has by the ID that was given (UI9)', async () => {
    const { code, errors } = await run(['get', ID.toUpperCase()], { history: () => undefined });
    expect(code).to.equal(4);
    expect(errors.toLowerCase()).to.contain(`job "${ID}" not found`);
  });
});
