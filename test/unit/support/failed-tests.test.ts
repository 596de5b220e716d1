import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { explain, keepLogs } from '#test/support/failed-tests.ts';

describe('what is printed and kept of a failed test', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'zipjobs-failed-tests-'));
    write('pods/zipjobs-system_zipjobs-api-1_u1/api.log', 'GET https://a.example/b?sig=sesame\n');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  function writeKubectl(command: string): void {
    write('bin/kubectl', `#!/bin/sh\n${command}\n`);
    chmodSync(join(dir, 'bin/kubectl'), 0o755);
  }

  it('has a limited number of lines and characters, however much the cluster contains', () => {
    const cases =
      '"get namespaces") echo "2026-05-04T12:00:00Z team-a" ;; get*) echo zip-1 ;; *) yes | head -n 1000 ;;';
    writeKubectl(`case "$1 $2" in ${cases} esac`);
    write('pods/team-a_zip-1-a_u2/zipper.log', `${'a'.repeat(5_000)}\n`.repeat(1_000));
    const lines = explain(dir, 0);
    expect(lines).to.have.length(451);
    expect(lines.at(-1)).to.match(/^\.\.\. \d+ more lines$/);
    for (const line of lines) expect(line).to.have.length.at.most(400);
  });

  it('consists of logs when the API server does not respond', () => {
    writeKubectl('exec sleep 600');
    expect(explain(dir, 0, 1).join('\n')).to.match(/zipjobs-api-1_u1\/api\.log <==\nGET \[redacted\]$/);
  });

  it('is kept as logs without secrets in the folders of the last five runs', () => {
    write('logs/etcd.log', 'etcd\n');
    write('logs/api.token', 'sesame');
    write('certificates/ca.key', 'sesame');
    write('pods/a_b_c/volumes/secret/key.log', 'sesame');
    symlinkSync(join(dir, 'certificates/ca.key'), join(dir, 'pods/a_b_c/link.log'));
    const results = join(dir, 'results');
    const earlier = ['long-5', 'long-4', 'long-3', 'long-2', 'unrelated', 'long-1'];
    for (const [day, name] of earlier.entries()) {
      mkdirSync(join(results, name), { recursive: true });
      utimesSync(join(results, name), new Date(2026, 4, 1 + day), new Date(2026, 4, 1 + day));
    }
    const folder = keepLogs(dir, 'integration', results);
    expect(folder).to.match(new RegExp(`/integration-${process.pid}/zipjobs-failed-tests-`));
    const kept = ['pods/zipjobs-system_zipjobs-api-1_u1/api.log', 'logs/etcd.log'];
    const files = globSync('**', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)))).to.have.members(
      kept,
    );
    expect(readFileSync(join(folder, kept[0] ?? ''), 'utf8')).to.equal('GET [redacted]');
    const others = earlier.filter((name) => name !== 'long-5');
    expect(readdirSync(results)).to.have.members([...others, `integration-${process.pid}`]);
  });
});
