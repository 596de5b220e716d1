/** What the README shows first. Other tests run its commands: test/integration/cli/readme.test.ts and test/node/trial.test.ts. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';

/** Cells of the tables in a text, by row. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
}

describe('the README', () => {
  let readme: string;
  before(async () => {
    readme = await readFile('README.md', 'utf8');
  });

  it('starts with the status, a request, its response and a picture (Q-D7, Q-D9)', () => {
    const screen = readme.split('\n').slice(0, 20).join('\n');
    const places = ['**Status: ', '\ncurl ', '"data":{"uuid":', '<img src="docs/screenshots/job-'].map(
      (part) => screen.indexOf(part),
    );
    expect(places.every((place) => place > 0)).to.equal(true);
    expect(places).to.deep.equal(places.toSorted((a, b) => a - b));
  });

  it('runs no command whose name is looked up in a package registry (Q-D3)', async () => {
    for (const path of ['README.md', 'charts/zipjobs/templates/NOTES.txt', 'test/dev/overview.ts'])
      expect(await readFile(path, 'utf8'), path).not.to.match(/\bnpx\b/);
  });

  it('aborts incomplete uploads after a day with the command for lifecycle rules (Q-D8)', () => {
    const [, json = ''] = /put-bucket-lifecycle-configuration [^']*'(.*)'/.exec(readme) ?? [];
    const { Rules } = JSON.parse(json) as { Rules: readonly Readonly<Record<string, unknown>>[] };
    expect(Rules).to.have.length(1);
    expect(Rules[0]).to.deep.include({
      Status: 'Enabled',
      Filter: { Prefix: '' },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    });
  });

  it('compares itself with other tools by the figures of docs/performance.md (Q-D7)', async () => {
    const [measured = ''] = (await readFile('docs/performance.md', 'utf8')).split('The same over HTTP');
    const rows = rowsOf(measured);
    const cases = {
      '2,000 of 50 KB': '2,000 x 50 KB at 20 ms',
      '4 of 256 MiB': '4 x 256 MiB',
      '1 of': '1 x 50 KB',
    };
    for (const [start, name] of Object.entries(cases)) {
      const first = rows.findIndex(([, files, contender]) => files === name && contender === 'zipjobs');
      const [ours, rclone, recipe] = ['zipjobs', 'rclone', 'recipe'].map((contender) =>
        rows.slice(first).find(([, , who]) => who === contender),
      );
      const shown = rowsOf(readme).find(([, files]) => files?.startsWith(start));
      const wanted = [ours?.[3], rclone?.[3], recipe?.[3], `${ours?.[5]} MiB`];
      expect(shown?.slice(2, 6), name).to.deep.equal(wanted);
    }
  });

  it('names the tested version of the S3 server of the trial (Q-D2)', async () => {
    const module = await readFile('tools/local-cluster/go-store/go.mod', 'utf8');
    const [, version = ''] = /versitygw (v[\d.]+)/.exec(module) ?? [];
    const image = `ghcr.io/versity/versitygw:${version}`;
    expect(readme).to.contain(image);
    expect(await readFile('charts/zipjobs/examples/trial.yaml', 'utf8')).to.contain(image);
  });
});
