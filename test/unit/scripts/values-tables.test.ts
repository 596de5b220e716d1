import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { valuesTables } from '#scripts/values-tables.ts';

const VALUES = `# About the file.

# Labels.
labels: {}
# Accepts requests.
api:
  # Pods.
  replicas: 1
  image:
    # Name of the image.
    repository: a
  # Only here.
  path: ""
# Does the work.
controller:
  # Pods.
  replicas: 2
  image:
    # Name of the image.
    repository: c
`;

describe('the tables of values in the README of the chart', () => {
  const text = valuesTables(VALUES);

  it('have a heading for each component, with its description', () => {
    expect([...text.matchAll(/^### (.+)$/gm)].map(([, title]) => title)).to.deep.equal([
      'General',
      'Common values of components',
      'api',
      'controller',
    ]);
    expect(text).to.contain('### api\n\nAccepts requests.\n\n| Value');
  });

  it('say once what several components share, with their defaults', () => {
    expect(text).to.contain(
      '| `COMPONENT.replicas` | api, controller | api: `1`, controller: `2` | Pods. |\n' +
        '| `COMPONENT.image.repository` | api, controller | api: `"a"`, controller: `"c"` | Name of the image. |',
    );
    expect(text.match(/Pods\./g)).to.have.length(1);
    expect(text).to.contain(
      '### api\n\nAccepts requests.\n\n| Value | Default | Description |\n| --- | --- | --- |\n| `api.path`',
    );
  });

  it('refuse a value without a comment', () => {
    expect(() => valuesTables('# Text.\na: 1\nb: 2\n')).to.throw('b has no comment');
  });
});

/** The second column of the table of other charts' keys. */
function ownKeys(): readonly string[] {
  const readme = readFileSync('charts/zipjobs/README.md', 'utf8');
  const [, table = ''] = /\| In other charts \|.*\n\| --- .*\n((?:\|.*\n)+)/.exec(readme) ?? [];
  return table
    .trim()
    .split('\n')
    .flatMap((row) => [...(row.split(' | ')[1] ?? '').matchAll(/`([\w.*]+)`/g)].map(([, key = '']) => key));
}

const COMPONENTS = ['api', 'controller', 'zipper', 'dashboard'];

describe("the keys of other charts in the chart's README", () => {
  const values = parse(readFileSync('charts/zipjobs/values.yaml', 'utf8')) as Readonly<
    Record<string, unknown>
  >;

  /** A pod template is free below its key. */
  function exists(key: string): boolean {
    let value: unknown = values;
    for (const name of key.replace(/\.\*$/, '').split('.')) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
      value = (value as Readonly<Record<string, unknown>>)[name];
      if (name === 'podTemplate') return true;
    }
    return true;
  }

  it('lead to values that exist', () => {
    const keys = ownKeys()
      .filter((key) => key.includes('.') || Object.hasOwn(values, key))
      .map((key) =>
        key.startsWith('COMPONENT.') ? COMPONENTS.map((name) => key.replace('COMPONENT', name)) : [key],
      );
    expect(keys.length).to.be.above(15);
    for (const places of keys) expect(places.some(exists), places.join()).to.equal(true);
  });
});
