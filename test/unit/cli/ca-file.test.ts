import { expect } from 'chai';
import { readCaFile } from '#cli/ca-file.ts';
import { UsageError } from '#cli/usage-error.ts';
import { certificatePath, certificateText } from '#test/support/servers/tls-front.ts';

describe('--ca-file', () => {
  it('is read if it is given (X22)', async () => {
    expect(await readCaFile(undefined)).to.equal(undefined);
    expect(await readCaFile(certificatePath('ca.pem'))).to.equal(certificateText('ca.pem'));
  });

  it('must be a file that can be read (X22)', async () => {
    const error: unknown = await readCaFile('/nowhere/ca.pem').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UsageError);
    expect(String(error)).to.contain('Cannot read the CA file /nowhere/ca.pem (ENOENT)');
  });
});
