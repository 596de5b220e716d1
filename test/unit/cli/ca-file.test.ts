import { dirname } from 'node:path';
import { expect } from 'chai';
import { readCaFile } from '#cli/ca-file.ts';
import { UsageError } from '#cli/usage-error.ts';
import { certificatePath, certificateText } from '#test/support/servers/tls-front.ts';

const SESSION = { cwd: dirname(certificatePath('ca.pem')) };

describe('--ca-file', () => {
  it('is read if it is given, relative to the working directory (X22)', async () => {
    expect(await readCaFile(undefined, SESSION)).to.equal(undefined);
    expect(await readCaFile('ca.pem', SESSION)).to.equal(certificateText('ca.pem'));
  });

  it('must be a file that can be read (X22)', async () => {
    const error: unknown = await readCaFile('/nowhere/ca.pem', SESSION).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UsageError);
    expect(String(error)).to.contain('Cannot read the CA file /nowhere/ca.pem (ENOENT)');
  });
});
