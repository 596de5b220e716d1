import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { PLURALS } from '#crds/api-group.ts';
import { helm } from './helm-session.ts';
import { envOf, find, NAMESPACE, objectsIn, podOf } from './render.ts';

const run = promisify(execFile);
const REGISTRY = 'registry.example.com/zipjobs';
const REPOSITORY = 'acme/zips';
const IMAGES = ['api', 'controller', 'dashboard', 'zipper'];

function digestOf(name: string): string {
  return `sha256:${name.length.toString(16).repeat(64)}`;
}

describe('the chart of a release', function () {
  this.timeout(30 * 60_000);
  const root = mkdtempSync(join(tmpdir(), 'release-chart-'));
  const chart = join(root, 'chart');
  after(() => rmSync(root, { recursive: true }));

  function stamp(repository = REPOSITORY) {
    return run(process.execPath, [
      'scripts/stamp-chart.ts',
      chart,
      REGISTRY,
      join(root, 'digests'),
      repository,
    ]);
  }
  function refusalOf(result: Promise<unknown>): Promise<string> {
    return result.then(() => 'written', String);
  }

  before(async () => {
    mkdirSync(join(root, 'digests'));
    for (const name of IMAGES) writeFileSync(join(root, 'digests', name), digestOf(name));
    await stamp();
  });

  it('installs images by digest without any value (X2)', async () => {
    const args = ['template', 'zipjobs', chart, '--namespace', NAMESPACE, '--set', 'dashboard.enabled=true'];
    const objects = objectsIn(await helm(args));
    for (const name of ['api', 'controller', 'dashboard'])
      expect(podOf(find(objects, 'Deployment', `zipjobs-${name}`)).containers[0]?.image).to.equal(
        `${REGISTRY}/zipjobs-${name}@${digestOf(name)}`,
      );
    expect(envOf(objects, 'controller').get('ZIPPER_IMAGE')?.value).to.equal(
      `${REGISTRY}/zipjobs-zipper@${digestOf('zipper')}`,
    );
  });

  it('keeps every other value and its comment (X20)', () => {
    function read(folder: string): string {
      return readFileSync(join(folder, 'values.yaml'), 'utf8');
    }
    function others(text: string): readonly string[] {
      return text
        .split('\n')
        .filter((line) => /^\s*#/.test(line) || !/^\s+(registry|digest|runbookUrl):/.test(line));
    }
    expect(parse(others(read(chart)).join('\n'))).to.deep.equal(
      parse(others(read('charts/zipjobs')).join('\n')),
    );
    function comments(text: string): readonly string[] {
      return text
        .split('\n')
        .filter((line) => /^\s*#/.test(line))
        .map((line) => line.trim());
    }
    expect(comments(read(chart))).to.deep.equal(comments(read('charts/zipjobs')));
  });

  it('lists its images for Artifact Hub, and the source code its definitions (X20)', () => {
    function annotationsOf(folder: string): Record<string, string> {
      return (
        parse(readFileSync(join(folder, 'Chart.yaml'), 'utf8')) as { annotations: Record<string, string> }
      ).annotations;
    }
    const images = parse(annotationsOf(chart)['artifacthub.io/images'] ?? '') as { readonly image: string }[];
    expect(images.map(({ image }) => image.split('@')[1])).to.deep.equal(IMAGES.map(digestOf));
    const crds = parse(annotationsOf('charts/zipjobs')['artifacthub.io/crds'] ?? '') as {
      readonly name: string;
      readonly kind: string;
      readonly version: string;
    }[];
    for (const { kind, name, version } of crds) {
      const text = readFileSync(`crds/${name.split('.')[0] ?? ''}.yaml`, 'utf8');
      const { metadata, spec } = parse(text) as {
        metadata: { name: string };
        spec: { names: { kind: string }; versions: readonly { name: string }[] };
      };
      expect([metadata.name, spec.names.kind, spec.versions[0]?.name]).to.deep.equal([name, kind, version]);
    }
    expect(crds.map(({ kind }) => kind)).to.have.members(Object.keys(PLURALS));
  });

  it('links to its repository and its tag, and helm has nothing to recommend (Q-P11) (Q-O1)', async () => {
    const { version } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as {
      readonly version: string;
    };
    for (const file of ['Chart.yaml', 'values.yaml', 'README.md']) {
      const text = readFileSync(join(chart, file), 'utf8');
      expect(text, file).to.not.match(/OWNER|REPO\b|vVERSION|\]\((?!https:|#)/);
      for (const [link] of text.matchAll(/https:\/\/[a-z.]*github[a-z.]*\/acme\/\S+/g))
        if (/\/(?:blob|main|tree)\/|\.svg/.test(link)) expect(link).to.contain(`/v${version}/`);
    }
    const findings = await helm(['lint', chart]);
    expect(findings).to.contain('1 chart(s) linted, 0 chart(s) failed');
    expect(findings).to.not.contain('[INFO]').and.to.not.contain('[WARNING]');
  });

  it('needs the images that the command in docs/lifecycle.md lists (X32)', async () => {
    const [, command = ''] =
      /\| (grep -oE '[^']+' \| sort -u)/.exec(readFileSync('docs/lifecycle.md', 'utf8')) ?? [];
    const rendered = join(root, 'rendered.yaml');
    writeFileSync(rendered, await helm(['template', 'zipjobs', chart, '--set', 'dashboard.enabled=true']));
    const { stdout } = await run('sh', ['-c', `cat "$0" | ${command}`, rendered]);
    expect(stdout.trim().split('\n')).to.deep.equal(
      IMAGES.map((name) => `${REGISTRY}/zipjobs-${name}@${digestOf(name)}`),
    );
  });

  it('is not written without the name of a repository (Q-P11)', async () => {
    expect(await refusalOf(stamp('acme'))).to.contain('"acme" is not a repository, such as acme/zipjobs');
  });

  it('is not written when a digest is missing (X20)', async () => {
    writeFileSync(join(root, 'digests', 'api'), 'latest\n');
    expect(await refusalOf(stamp())).to.contain('api has no digest: "latest"');
  });
});
