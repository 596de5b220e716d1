import { expect } from 'chai';
import { addProjectCommands } from '#cli/project-commands.ts';
import { PROJECT_NAME } from '#crds/api-group.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { runProgram } from './fake-session.ts';

/** An API server with one project, and the patches that it received. */
function startProject(historyRetentionDays?: number) {
  const objects = createObjectsByPath();
  const patches: unknown[] = [];
  const questions: string[] = [];
  objects.put(
    COLLECTIONS.projects,
    aProject(TEAM, historyRetentionDays === undefined ? {} : { historyRetentionDays }),
  );
  function run(args: readonly string[], confirm?: boolean) {
    return runProgram(
      {
        groups: [addProjectCommands],
        terminal: {
          isInteractive: confirm !== undefined,
          confirm: (question) => {
            questions.push(question);
            return Promise.resolve(confirm === true);
          },
        },
        kube: {
          server: 'https://example.test',
          request: (request) => {
            if (request.method === 'PATCH') patches.push(request.body);
            return Promise.resolve(objects.respond(request));
          },
          stream: () => Promise.reject(new Error('not faked')),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      },
      ['project', ...args],
    );
  }
  function spec(): unknown {
    return objects.get(`${COLLECTIONS.projects}/${PROJECT_NAME}`)?.['spec'];
  }
  return { run, patches, questions, spec };
}

function update(days: string, ...args: readonly string[]) {
  return ['update', TEAM, '--history-retention-days', days, ...args];
}

describe('the history retention of zipjobs project', () => {
  it('is raised, and removed, without a confirmation', async () => {
    const { run, patches, spec } = startProject(30);
    const { code, output, errors } = await run(update('3650'));
    expect(code, errors).to.equal(0);
    expect(output).to.match(/History retention: +3650 days/);
    expect(spec()).to.deep.equal({ historyRetentionDays: 3650 });
    const removed = await run(update('none'));
    expect(removed.code, removed.errors).to.equal(0);
    expect(removed.output).to.match(/History retention: +that of the installation/);
    expect(patches).to.deep.equal([
      { spec: { historyRetentionDays: 3650 } },
      { spec: { historyRetentionDays: null } },
    ]);
  });

  for (const before of [undefined, 30])
    it(`is lowered from ${before ?? 'that of the installation'} only after a confirmation, because records are deleted`, async () => {
      const { run, patches, questions, spec } = startProject(before);
      const noTerminal = await run(update('1'));
      expect(noTerminal.code).to.equal(2);
      expect(noTerminal.errors)
        .to.contain(
          `Delete records older than 1 day of project "${TEAM}" from the history? This cannot be undone.`,
        )
        .and.contain('--yes');
      expect((await run(update('7'), false)).errors).to.contain('Cancelled: nothing was changed');
      expect(questions).to.deep.equal([
        `Delete records older than 7 days of project "${TEAM}" from the history? This cannot be undone.`,
      ]);
      expect(patches).to.deep.equal([]);
      expect((await run(update('7'), true)).code).to.equal(0);
      expect(spec()).to.deep.equal({ historyRetentionDays: 7 });
      expect((await run(update('1', '--yes'))).code).to.equal(0);
      expect(spec()).to.deep.equal({ historyRetentionDays: 1 });
    });

  it('is shown, also as JSON', async () => {
    const { output } = await startProject(1).run(['show', TEAM]);
    expect(output).to.match(/History retention: +1 day\n/);
    for (const days of [14, undefined]) {
      const { run } = startProject(days);
      const shown = JSON.parse((await run(['show', TEAM, '-o', 'json'])).output) as unknown;
      expect(shown).to.include({ historyRetentionDays: days ?? null });
    }
  });

  for (const days of ['0', '3651', '-1', '1.5', '90d', ''])
    it(`refuses "${days}" before it sends a request`, async () => {
      const { run, patches } = startProject();
      const { code, output, errors } = await run(update(days, '--yes'));
      expect([code, output, patches]).to.deep.equal([2, '', []]);
      expect(errors).to.contain('--history-retention-days must be an integer from 1 to 3650, or none');
    });
});
