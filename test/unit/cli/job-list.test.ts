import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { addJobCommands } from '#cli/job-commands.ts';
import type { Terminal } from '#cli/terminal.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aResult, finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { runProgram } from './fake-session.ts';

function aJob(name: string, reason: 'SourceNotFound' | 'OutOfMemory', token: string) {
  return aZipJob({
    metadata: { name, annotations: { [ANNOTATIONS.createdBy]: token } },
    status: finishedAs('Failed', { reason }),
  });
}

describe('zipjobs job list', () => {
  const items = [
    aJob('zip-a', 'SourceNotFound', 'ci-k7x2mq'),
    aJob('zip-b', 'OutOfMemory', 'ci-k7x2mq'),
    aJob('zip-c', 'OutOfMemory', 'backend-3vwzt9'),
  ];
  function list(...args: readonly string[]) {
    return listOf(items, [...args, '-o', 'json']);
  }
  function listOf(listed: readonly ZipJob[], args: readonly string[], terminal: Partial<Terminal> = {}) {
    return runProgram(
      {
        groups: [addJobCommands],
        terminal,
        kube: {
          server: 'https://kubernetes.test',
          request: () => Promise.resolve({ metadata: {}, items: listed }),
          stream: () => Promise.reject(new Error('unused')),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      },
      ['job', 'list', ...args],
    );
  }
  async function names(...args: readonly string[]): Promise<readonly string[]> {
    const { code, output, errors } = await list(...args);
    expect(code, errors).to.equal(0);
    return (JSON.parse(output) as readonly { readonly name: string }[]).map(({ name }) => name);
  }

  function uuid(start: string): string {
    return `${start}00-0000-4000-8000-000000000001`;
  }
  const jobs = [
    aZipJob({
      metadata: { name: `zip-${uuid('aaaaaa')}` },
      spec: { key: 'may.zip' },
      status: finishedAs('Succeeded', {
        result: aResult({ bytes: 3 * 1024 ** 2 }),
      }),
    }),
    aZipJob({
      metadata: { name: `zip-${uuid('bbbbbb')}` },
      spec: { key: 'june.zip' },
      status: finishedAs('Failed', { reason: 'SourceNotFound' }),
    }),
  ];

  it('has short IDs, the key, the state with its reason, and sizes for people (Q-C22)', async () => {
    const { output } = await listOf(jobs, []);
    const [header, ...rows] = output.trimEnd().split('\n');
    expect(header?.split(/ {2,}/)).to.deep.equal(['ID', 'KEY', 'STATE', 'FILES', 'SIZE', 'AGE']);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, -1))).to.have.deep.members([
      ['aaaaaa00', 'may.zip', 'Succeeded', '0/3', '3.0 MiB'],
      ['bbbbbb00', 'june.zip', 'Failed (SourceNotFound)', '0/3', '-'],
    ]);
    const wide = await listOf(jobs, ['--wide']);
    expect(wide.output)
      .to.match(new RegExp(`^${uuid('aaaaaa')} `, 'm'))
      .and.to.contain('s3/archive');
  });

  it('uses as many characters of the IDs as tell them apart (Q-C22)', async () => {
    const [first, second] = ['aaaaaaaa-aa00-4000-8000-000000000001', 'aaaaaaaa-ab00-4000-8000-000000000001'];
    const alike = [first, second].map((id) => aZipJob({ metadata: { name: `zip-${id}` } }));
    const { output } = await listOf(alike, []);
    expect(output)
      .to.match(/^aaaaaaaa-aa /m)
      .and.to.match(/^aaaaaaaa-ab /m);
  });

  it('has colors and symbols on a terminal only, and none in JSON (Q-C12)', async () => {
    const decorated = await listOf(jobs, [], { isDecorated: true });
    expect(decorated.output)
      .to.contain('\u001b[32m✓ Succeeded\u001b[39m')
      .and.to.contain('\u001b[31m✗ Failed (SourceNotFound)\u001b[39m');
    // Colors do not move the columns.
    const [header = '', ...rows] = stripVTControlCharacters(decorated.output).trimEnd().split('\n');
    for (const row of rows) expect(row.slice(header.indexOf('FILES')).startsWith('0/3'), row).to.equal(true);
    function expectPlain(output: string): void {
      expect(output).to.equal(stripVTControlCharacters(output)).and.not.match(/[✓✗]/);
    }
    expectPlain((await listOf(jobs, [])).output);
    for (const format of ['json', 'yaml'])
      expectPlain((await listOf(jobs, ['-o', format], { isDecorated: true })).output);
  });

  for (const source of [[], ['--history']])
    for (const option of ['--newer-than', '--older-than'])
      it(`refuses a duration that reaches before every job: ${[option, ...source].join(' ')} (UI42)`, async () => {
        for (const duration of ['999999999d', '36501d', '999999999h', '36500', '1w', '-1d', '1e3d']) {
          const { code, output, errors } = await list(...source, `${option}=${duration}`);
          expect([code, output]).to.deep.equal([2, '']);
          expect(errors).to.match(
            new RegExp(`Invalid ${option} "${duration}"\\. Use a duration such as .* at most 36500d`),
          );
        }
      });

  it('accepts a duration of a hundred years (UI42)', async () => {
    for (const duration of ['36500d', '999999999s'])
      expect(await names('--newer-than', duration)).to.have.length(3);
  });

  it('filters by reason and by the token that created the job', async () => {
    expect(await names('--reason', 'SourceNotFound')).to.deep.equal(['zip-a']);
    expect(await names('--reason', 'SourceNotFound,OutOfMemory')).to.have.length(3);
    expect(await names('--token-id', 'ci-k7x2mq')).to.deep.equal(['zip-a', 'zip-b']);
    expect(await names('--token-id', 'ci-k7x2mq', '--reason', 'OutOfMemory')).to.deep.equal(['zip-b']);
  });
});
