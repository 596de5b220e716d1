import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { createLogger } from '#runtime/log/log.ts';
import { type BundleTrust, createBundleTrust } from '#runtime/tls/bundle-file.ts';
import { createManualClock, type ManualClock } from '#test/support/builders/manual-clock.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';

const CA = certificateText('ca.pem');
const OTHER = certificateText('private-ca.pem');

describe('createBundleTrust', () => {
  let dir: string;
  let file: string;
  let clock: ManualClock;
  let lines: string[];
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'trust-'));
    file = join(dir, 'ca.crt');
    clock = createManualClock();
    lines = [];
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function create(path = file): BundleTrust {
    const log = createLogger('test', { level: 'info', destination: { write: (line) => lines.push(line) } });
    return createBundleTrust({ trustBundleFile: path, trustBundleReloadMs: 10_000 }, { clock, log });
  }

  it('trusts only the authorities of Node without a file', () => {
    const trust = create('');
    expect(trust.tls()).to.deep.equal({ rejectUnauthorized: true });
    expect(trust.additional()).to.equal('');
  });

  it('refuses a missing or invalid file at the start, and names the file and the certificate (X22)', () => {
    expect(() => create()).to.throw(`TRUST_BUNDLE_FILE: cannot read ${file}`);
    writeFileSync(file, CA + CA.replace('MII', 'MIJ'));
    expect(() => create()).to.throw(`TRUST_BUNDLE_FILE: ${file}: certificate 2 is not a valid certificate`);
    writeFileSync(file, '');
    expect(() => create()).to.throw(`TRUST_BUNDLE_FILE: ${file} contains no certificate`);
  });

  it('copies a certificate once, and none of the public authorities (X22)', () => {
    writeFileSync(file, [...rootCertificates, CA, OTHER, CA].join('\n'));
    const copied = create().additional();
    expect(copied).to.equal(CA + OTHER);
  });

  it('refuses more private certificates than a variable can contain (X22)', () => {
    writeFileSync(file, `# ${randomBytes(800_000).toString('hex')}\n${CA}`);
    expect(() => create()).to.throw('is larger than 1048576 bytes');
  });

  it('reads a changed file after the interval, without a restart (X22)', () => {
    writeFileSync(file, CA);
    const trust = create();
    const before = trust.tls();
    writeFileSync(file, OTHER);
    expect(trust.tls()).to.equal(before);
    clock.jump(10_000);
    expect(trust.tls()).not.to.equal(before);
    expect(trust.additional()).to.equal(OTHER);
    expect(lines.join('')).to.contain('the trust bundle has changed');
  });

  it('keeps the last valid bundle when a change is invalid, and logs it once (X22)', () => {
    writeFileSync(file, CA);
    const trust = create();
    const before = trust.tls();
    writeFileSync(file, 'garbage');
    for (let read = 0; read < 3; read += 1) {
      clock.jump(10_000);
      expect(trust.tls()).to.equal(before);
    }
    expect(lines.filter((line) => line.includes('the trust bundle is invalid'))).to.have.length(1);
    writeFileSync(file, OTHER);
    clock.jump(10_000);
    expect(trust.additional()).to.equal(OTHER);
  });
});
