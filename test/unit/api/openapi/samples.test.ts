import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { readSamples } from '#api/openapi/read-samples.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';

describe('the samples of the docs page', () => {
  it('are formatted with gofmt if they are Go (Q-A11)', async function () {
    await requirePrograms(this, ['gofmt']);
    const { makeArchive, verifyWebhook, receiveWebhook } = readSamples();
    const files = [...makeArchive, ...verifyWebhook, ...receiveWebhook]
      .map(({ path }) => path)
      .filter((path) => path.endsWith('.go'));
    expect(files).to.have.lengthOf(3);
    const { stdout } = await promisify(execFile)('gofmt', ['-l', ...files]);
    expect(stdout).to.equal('');
  });
});
