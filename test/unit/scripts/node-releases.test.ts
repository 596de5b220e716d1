import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import {
  fitsEngines,
  type NodeRelease,
  newerReleases,
  nodeVersionText,
  parseNodeVersion,
  withDocumented,
  withImage,
} from '#scripts/node-releases.ts';
import { nodeVersionProblems } from '#scripts/node-version.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';

/** As in the index of 22 October 2026, shortened. */
const INDEX: readonly NodeRelease[] = [
  { version: 'v26.12.1', date: '2026-10-21', security: true },
  { version: 'v24.22.10', date: '2026-11-20', security: false },
  { version: 'v24.22.9', date: '2026-11-10', security: true },
  { version: 'v24.22.2', date: '2026-11-03', security: false },
  { version: 'v24.22.1', date: '2026-10-21', security: true },
  { version: 'v22.23.4', date: '2026-10-21', security: true },
];

function newer(version: string) {
  const { newest, security } = newerReleases(INDEX, parseNodeVersion(version));
  return { newest: nodeVersionText(newest), security: security.map(nodeVersionText) };
}

describe('the version of Node', () => {
  it('is the same in .node-version, the Dockerfile, engines and docs/release.md (N27)', () => {
    expect(nodeVersionProblems()).to.deep.equal([]);
  });

  it('is outdated after a later security release of its line, whatever other lines have (N27)', () => {
    expect(newer('24.22.0')).to.deep.equal({ newest: '24.22.10', security: ['24.22.9', '24.22.1'] });
    expect(newer('24.22.2')).to.deep.equal({ newest: '24.22.10', security: ['24.22.9'] });
    expect(newer('24.22.9')).to.deep.equal({ newest: '24.22.10', security: [] });
    expect(newer('24.22.10')).to.deep.equal({ newest: '24.22.10', security: [] });
    expect(newer('24.23.0')).to.deep.equal({ newest: '24.23.0', security: [] });
    expect(() => newer('20.0.0')).to.throw('no Node 20');
  });

  it('is never more than three numbers, whatever the index contains (N27)', () => {
    for (const version of ['24', '24.22', 'v24.22.2; rm -rf /', '24.22.2-rc.1', '', '$(id)'])
      expect(() => parseNodeVersion(version), version).to.throw('is not a version of Node');
    expect(() =>
      newerReleases([{ version: 'v24.0.0\nx', date: '', security: true }], parseNodeVersion('24.22.2')),
    ).to.throw('is not a version of Node');
  });

  it('is written into the Dockerfile and the page about releases (N27)', () => {
    expect(withImage('# x\nARG NODE_IMAGE=node:24.1.0-slim\nFROM x\n', '24.22.2')).to.equal(
      '# x\nARG NODE_IMAGE=node:24.22.2-slim\nFROM x\n',
    );
    expect(withDocumented('by tag: Node 24.1.0, and Node 24', '24.22.2')).to.equal(
      'by tag: Node 24.22.2, and Node 24',
    );
  });

  it('is accepted by engines, which accept no earlier line (N27)', () => {
    const version = parseNodeVersion('24.22.2');
    expect(fitsEngines('>=24.12', version)).to.equal(true);
    for (const engines of ['>=24.23', '>=22.1', '>=26.0', '*', '>=24'])
      expect(fitsEngines(engines, version)).to.equal(false);
  });

  it('is compared with the release index by the daily workflow (N27)', async () => {
    await using origin = await startFileOrigin({
      routes: {
        '/index.json': (_request, response) => {
          const next = { version: 'v24.999.0', date: '2027-01-01', security: true };
          response.end(JSON.stringify([...INDEX, next]));
        },
      },
    });
    const env = { ...process.env, NODE_RELEASE_INDEX: origin.url('/index.json') };
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['scripts/check-node-release.ts'],
      { env },
    );
    expect(stdout).to.match(/^newest=24\.999\.0\nsecurity=24\.999\.0/);
    expect(stderr).to.contain('Node 24.999.0 of 2027-01-01 is a security release');
  });
});
