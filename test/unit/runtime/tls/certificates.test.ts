import { expect } from 'chai';
import { parseCertificates } from '#runtime/tls/certificates.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';

const CA = certificateText('ca.pem');
const OTHER = certificateText('private-ca.pem');
const broken = CA.replace('MII', 'MIJ');

function errorOf(text: string): string {
  try {
    parseCertificates(text, 'FILE: /etc/bundle.pem');
    return 'no error';
  } catch (error) {
    return String(error);
  }
}

describe('parseCertificates', () => {
  it('reads every certificate and ignores comments between them (X22)', () => {
    const text = `# Example authority\n${CA}\r\n# Another one\r\n${OTHER.replaceAll('\n', '\r\n')}`;
    const found = parseCertificates(text, 'FILE');
    expect(found).to.have.length(2);
    expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).to.equal(2);
    expect(found[0]?.pem.trim()).to.equal(CA.trim());
  });

  it('names the file and the number of an invalid certificate (X22)', () => {
    expect(errorOf(`${CA}${broken}${OTHER}`)).to.contain(
      'FILE: /etc/bundle.pem: certificate 2 is not a valid certificate in PEM form',
    );
    expect(errorOf(`${CA}${OTHER.split('-----END')[0]}`)).to.contain(
      '/etc/bundle.pem: certificate 2 has no line',
    );
    expect(errorOf(OTHER.split('-----END')[0] + CA)).to.contain('certificate 1 has no line');
  });

  it('refuses text without a certificate, and other PEM blocks such as private keys (X22)', () => {
    for (const text of ['', 'certificate', '-----BEGIN'])
      expect(errorOf(text)).to.contain('contains no certificate');
    const error = errorOf(CA + certificateText('server.key'));
    expect(error).to.contain('PEM block 2 is not a certificate');
    expect(error).not.to.contain(certificateText('server.key').split('\n')[1]);
  });
});
