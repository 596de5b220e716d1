import { expect } from 'chai';
import { addJobCommands } from '#cli/job-commands.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
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
    return runProgram(
      {
        groups: [addJobCommands],
        kube: {
          server: 'https://kubernetes.test',
          request: () => Promise.resolve({ metadata: {}, items }),
          stream: () => Promise.reject(new Error('unused')),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      },
      ['job', 'list', ...args, '-o', 'json'],
    );
  }
  async function names(...args: readonly string[]): Promise<readonly string[]> {
    const { code, output, errors } = await list(...args);
    expect(code, errors).to.equal(0);
    return (JSON.parse(output) as readonly { readonly name: string }[]).map(({ name }) => name);
  }

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
