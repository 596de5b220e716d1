import { expect } from 'chai';
import { addJobCommands } from '#cli/job-commands.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { runProgram } from './fake-session.ts';

const aJob = (name: string, reason: 'SourceNotFound' | 'OutOfMemory', token: string) =>
  aZipJob({
    metadata: { name, annotations: { [ANNOTATIONS.createdBy]: token } },
    status: finishedAs('Failed', { reason }),
  });

describe('zipjobs job list', () => {
  const items = [
    aJob('zip-a', 'SourceNotFound', 'ci-k7x2mq'),
    aJob('zip-b', 'OutOfMemory', 'ci-k7x2mq'),
    aJob('zip-c', 'OutOfMemory', 'backend-3vwzt9'),
  ];
  const names = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, output, errors } = await runProgram(
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
    expect(code, errors).to.equal(0);
    return (JSON.parse(output) as readonly { readonly name: string }[]).map(({ name }) => name);
  };

  it('filters by reason and by the token that created the job', async () => {
    expect(await names('--reason', 'SourceNotFound')).to.deep.equal(['zip-a']);
    expect(await names('--reason', 'SourceNotFound,OutOfMemory')).to.have.length(3);
    expect(await names('--token-id', 'ci-k7x2mq')).to.deep.equal(['zip-a', 'zip-b']);
    expect(await names('--token-id', 'ci-k7x2mq', '--reason', 'OutOfMemory')).to.deep.equal(['zip-b']);
  });
});
