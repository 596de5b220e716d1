import { expect } from 'chai';
import { addProjectCommands } from '#cli/project-commands.ts';
import { ANNOTATIONS, PROJECT_NAME } from '#crds/api-group.ts';
import { REASONS, type Reason } from '#crds/conditions.ts';
import type { HistoryPurge, ZipProject } from '#crds/zip-project.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { runProgram } from './fake-session.ts';

function update(...args: readonly string[]) {
  return runProgram({ groups: [addProjectCommands] }, ['project', 'update', ...args]);
}

describe('zipjobs project update', () => {
  it('refuses a limit above that of the class, as the dashboard does (Q-C17)', async () => {
    const objects = createObjectsByPath();
    const status = { class: { name: 'small', limits: { activeJobs: 50 } } };
    objects.put(COLLECTIONS.projects, { ...aProject(TEAM, {}), status } as ZipProject);
    async function set(value: string) {
      const kube = {
        server: 'https://example.test',
        request: (request: KubeRequest) => Promise.resolve().then(() => objects.respond(request)),
        stream: () => Promise.reject(new Error('not needed')),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
      return runProgram({ groups: [addProjectCommands], kube }, [
        'project',
        'update',
        TEAM,
        '--active-jobs',
        value,
      ]);
    }
    expect(await set('2000')).to.deep.equal({
      code: 2,
      output: '',
      errors: 'zipjobs: activeJobs: the class small allows at most 50. A project can only lower its limits\n',
    });
    for (const value of ['50', 'none']) expect((await set(value)).code).to.equal(0);
  });

  const wrong: Readonly<Record<string, readonly [args: readonly string[], message: RegExp]>> = {
    'no project': [[], /Missing <project>/],
    'no change': [
      ['acme'],
      /Nothing to change\. Pass at least one of --display-name, --active-jobs, .*zipjobs webhook --help/,
    ],
    'a limit of 0': [
      ['acme', '--active-jobs', '0'],
      /--active-jobs must be an integer of at least 1, or none to remove the limit/,
    ],
    'a limit that is not a number': [
      ['acme', '--files-per-job', 'many'],
      /--files-per-job must be an integer of at least 1/,
    ],
    'a limit above the maximum': [
      ['acme', '--requests-per-minute', '9999999999'],
      /Invalid limit requestsPerMinute: 9999999999\. Use an integer from 1 to 2147483647/,
    ],
    'a name that is too long': [
      ['acme', '--display-name', 'x'.repeat(129)],
      /use 1 to 128 characters, not only spaces \(got 129 characters\)/,
    ],
  };
  for (const [name, [args, message]] of Object.entries(wrong))
    it(`refuses ${name} with a hint, before it sends a request`, async () => {
      const { code, output, errors } = await update(...args);
      expect({ code, output }, errors).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.match(message);
    });
});

describe('zipjobs project show', () => {
  it('marks the state on a terminal, except while nothing is known (Q-C12)', async () => {
    async function stateOf(status: 'True' | 'False' | 'Unknown', isDecorated: boolean) {
      const objects = createObjectsByPath();
      const reason =
        status === 'True' ? 'ProjectReady' : status === 'False' ? 'ProjectIncomplete' : 'Pending';
      const conditions = [{ type: 'Ready', status, reason, message: 'm', lastTransitionTime: TIME }];
      objects.put(COLLECTIONS.projects, { ...aProject(TEAM), status: { conditions } } as ZipProject);
      const kube = {
        server: 'https://example.test',
        request: (request: KubeRequest) => Promise.resolve().then(() => objects.respond(request)),
        stream: () => Promise.reject(new Error('not needed')),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
      const options = { groups: [addProjectCommands], kube, terminal: { isDecorated } };
      return /^State: +(.*)$/m.exec((await runProgram(options, ['project', 'show', TEAM])).output)?.[1];
    }
    expect(await stateOf('True', true)).to.equal('\u001b[32m✓ Ready\u001b[39m');
    expect(await stateOf('False', true)).to.equal('\u001b[31m✗ ProjectIncomplete\u001b[39m');
    expect(await stateOf('Unknown', true)).to.equal('Pending');
    expect(await stateOf('True', false)).to.equal('Ready');
  });
});

const TIME = '2026-01-02T03:04:05Z';
const FINISHED = { startedAt: TIME, finishedAt: TIME };

/** An API server with one project, whose controller responds to each command. */
function startPurge(
  respond: { purge: Omit<HistoryPurge, 'nonce'>; reason: Reason; problem?: string } | undefined,
) {
  const objects = createObjectsByPath();
  const nonces: string[] = [];
  objects.put(COLLECTIONS.projects, aProject(TEAM));
  function command(): void {
    const project = objects.get(`${COLLECTIONS.projects}/${PROJECT_NAME}`) as unknown as ZipProject;
    const nonce = project.metadata.annotations?.[ANNOTATIONS.purgeHistory] ?? '';
    nonces.push(nonce);
    if (!respond) return;
    const { purge, reason, problem = '' } = respond;
    const status = reason === 'HistoryPurged' ? 'True' : 'False';
    const message = `${REASONS[reason]}${problem}`;
    const condition = { type: 'HistoryPurged', status, reason, message } as const;
    objects.put(COLLECTIONS.projects, {
      ...project,
      status: {
        conditions: [{ ...condition, lastTransitionTime: TIME }],
        historyPurge: { nonce, ...purge },
      },
    } as ZipProject);
  }
  function run(args: readonly string[], confirm?: boolean) {
    return runProgram(
      {
        groups: [addProjectCommands],
        terminal: { isInteractive: confirm !== undefined, confirm: () => Promise.resolve(confirm === true) },
        kube: {
          server: 'https://example.test',
          request: async (request) => {
            const response = await Promise.resolve().then(() => objects.respond(request));
            if (request.method === 'PATCH') command();
            return response;
          },
          stream: () => Promise.reject(new Error('not faked')),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      },
      ['project', ...args],
    );
  }
  return { run, nonces, objects };
}

describe('zipjobs project delete', () => {
  it('says that the tokens are kept, and how to delete them', async () => {
    const { run } = startPurge(undefined);
    const { code, output, errors } = await run(['delete', TEAM, '--yes']);
    expect({ code, output }, errors).to.deep.equal({
      code: 0,
      output: `Deleting project "${TEAM}". Its access tokens stop working at once, and its jobs are being cancelled.\n`,
    });
    expect(errors)
      .to.contain('The tokens work again if a project is created in this namespace.')
      .and.contain(`kubectl delete ziptokens --all -n ${TEAM}`);
  });
});

describe('zipjobs project purge', () => {
  const done = { purge: { ...FINISHED, records: 1234 }, reason: 'HistoryPurged' } as const;

  it('waits for the controller, and prints how many records were deleted (G9)', async () => {
    const { run, nonces } = startPurge(done);
    const { code, output, errors } = await run(['purge', TEAM, '--yes']);
    expect({ code, output }, errors).to.deep.equal({
      code: 0,
      output: `Deleted 1234 records of project "${TEAM}" from the history.\n`,
    });
    expect(errors).to.contain('ZipJobs and archives are kept. Jobs that finished meanwhile');
    const json = await run(['purge', TEAM, '--yes', '-o', 'json']);
    expect(JSON.parse(json.output)).to.deep.equal({ namespace: TEAM, records: 1234, finishedAt: TIME });
    expect(new Set(nonces).size).to.equal(2);
  });

  it('asks first, and changes nothing without a confirmation', async () => {
    const { run, nonces } = startPurge(done);
    const noTerminal = await run(['purge', TEAM]);
    expect(noTerminal.code).to.equal(2);
    expect(noTerminal.errors).to.contain('This cannot be undone.').and.contain('--yes');
    expect((await run(['purge', TEAM], false)).errors).to.contain('Cancelled: nothing was changed');
    expect(nonces).to.deep.equal([]);
    expect((await run(['purge', TEAM], true)).code).to.equal(0);
  });

  it('fails without a history', async () => {
    const { run } = startPurge({ purge: { ...FINISHED, records: 0 }, reason: 'NoHistory' });
    const { code, output, errors } = await run(['purge', TEAM, '--yes']);
    expect({ code, output }).to.deep.equal({ code: 3, output: '' });
    expect(errors).to.equal(
      `zipjobs: Could not delete the history of project "${TEAM}": There is no history database, so there are no records to delete.\n`,
    );
  });

  it('says after its time limit what the controller waits for (G8)', async () => {
    const { run } = startPurge({ purge: { startedAt: TIME, records: 7 }, reason: 'HistoryUnavailable' });
    const { code, errors } = await run(['purge', TEAM, '--yes', '--timeout', '0']);
    expect(code).to.equal(6);
    expect(errors)
      .to.contain('is not deleted after 0 s (7 records so far). The controller continues.')
      .and.contain(`zipjobs project show ${TEAM}`);
    expect((await run(['show', TEAM])).output).to.match(
      /History purge: +started 2026-01-02T03:04:05Z\. The history database does not respond\./,
    );
    const withProblem = { purge: { startedAt: TIME, records: 7 }, reason: 'HistoryUnavailable' } as const;
    const other = startPurge({ ...withProblem, problem: ' connection refused' });
    expect((await other.run(['purge', TEAM, '--yes', '--timeout', '0'])).errors).to.contain(
      'will be retried. connection refused',
    );
    const silent = await startPurge(undefined).run(['purge', TEAM, '--yes', '--timeout', '0']);
    expect([silent.code, silent.errors]).to.deep.equal([
      6,
      'zipjobs: Deleting the history of the project timed out after 0 s. It may still complete: check again later, and check that the controller is running\n',
    ]);
  });

  it('also names the last failure after its time limit, and reads nothing more (UI3)', async () => {
    const { run, nonces, objects } = startPurge({
      purge: { startedAt: TIME, records: 7 },
      reason: 'PurgingHistory',
    });
    let reads = 0;
    const leaderChanged = new KubeError('leader changed', {
      attempt: 'GET /x',
      httpStatus: 502,
      code: 'Unreachable',
    });
    objects.fail(leaderChanged, ({ method }) => method === 'GET' && nonces.length > 0 && (reads += 1) > 1);
    const { code, errors } = await run(['purge', TEAM, '--yes', '--timeout', '1']);
    expect(code).to.equal(6);
    expect(errors).to.match(
      / 1 s \(7 records so far\)\. .*The last request failed: Cannot get .*leader changed/,
    );
    expect(errors.match(/leader changed/g)).to.have.length(2);
  });

  it('refuses a namespace without a project, before it asks', async () => {
    const { run, nonces } = startPurge(done);
    const { code, errors } = await run(['purge', 'other'], true);
    expect(code).to.equal(4);
    expect(errors).to.contain(
      'No project found in namespace "other". Create one with: zipjobs project create other, or set another namespace with -n\n',
    );
    expect(nonces).to.deep.equal([]);
  });
});
