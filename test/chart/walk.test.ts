/** One walk over everything that the chart renders and the processes create. `npm run snapshots` writes its table. */
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type KubeObject, render, type Values } from './render.ts';
import { creatableResources, createdObjects } from './walk/created-objects.ts';
import { withTables } from './walk/page.ts';
import { missingIn, WALK_VALUES, type Walked } from './walk/questions.ts';

const VALUES = join(import.meta.dirname, 'values');
const PAGE = 'docs/objects.md';
const HINT = 'If the change is intended, run: npm run snapshots';

/** What no file of values/ has. */
const OTHERS: Values = {
  trustedProxies: ['10.0.0.0/8'],
  'api.autoscaling.enabled': true,
  'api.ingress.enabled': true,
  'dashboard.enabled': true,
  'dashboard.ingress': { enabled: true, host: 'dashboard.example.com' },
  'redis.url': 'redis://redis',
  'networkPolicies.enabled': true,
  'networkPolicies.apiServerCidrs': ['10.96.0.1/32'],
  'networkPolicies.historyEgress': [{ ports: [{ protocol: 'TCP', port: 5432 }] }],
  'history.postgres': { host: 'postgres.example.com', existingSecret: 'zipjobs-history' },
};

/** Objects that the operator writes. */
const WITHOUT_OWN: Values = { extraObjects: [] };

function walkedBy(creator: Walked['creator'], objects: readonly KubeObject[]): readonly Walked[] {
  return objects.map((object) => ({ creator, object }));
}

async function walk(values: Values, flags: readonly string[] = []): Promise<readonly Walked[]> {
  const objects = await render({ ...WALK_VALUES, ...values }, flags);
  const created = await createdObjects(objects);
  return [...walkedBy('chart', objects), ...[...created].flatMap(([creator, all]) => walkedBy(creator, all))];
}

describe('the walk over all objects', function () {
  this.timeout(30 * 60_000);
  const sets: readonly [string, () => Promise<readonly Walked[]>][] = [
    ...readdirSync(VALUES).map(
      (name) =>
        [name, () => walk(WITHOUT_OWN, ['--values', join(VALUES, name)])] as const satisfies [
          unknown,
          unknown,
        ],
    ),
    ['every other option', () => walk(OTHERS)],
  ];

  for (const [name, walked] of sets)
    it(`finds nothing missing with ${name} (X41)`, async () => {
      expect(missingIn(await walked())).to.deep.equal([]);
    });

  it('has a sample of everything that a role may create (X41)', async () => {
    const objects = await render(OTHERS);
    const created = await createdObjects(objects);
    for (const component of ['api', 'controller', 'dashboard'] as const) {
      const kinds = new Set(created.get(component)?.map(({ kind }) => `${kind.toLowerCase()}s`));
      for (const resource of creatableResources(objects, component))
        expect([...kinds], component).to.include(resource.replace(/ies$/, 'ys'));
    }
  });

  it("is what the page says (otherwise run 'npm run snapshots') (X41)", async () => {
    const all = (await Promise.all(sets.map(([, walked]) => walked()))).flat();
    const page = await readFile(PAGE, 'utf8');
    const now = withTables(page, all);
    if (process.env['UPDATE_SNAPSHOTS'] === '1') await writeFile(PAGE, now);
    else expect(now, HINT).to.equal(page);
  });

  function planted(object: Readonly<Record<string, unknown>>): readonly string[] {
    const metadata = {
      name: 'planted',
      labels: WALK_VALUES['commonLabels'],
      annotations: WALK_VALUES['commonAnnotations'],
    };
    return missingIn([
      { creator: 'controller', object: { apiVersion: 'v1', metadata, ...object } as unknown as KubeObject },
    ]);
  }
  function columnsOf(failures: readonly string[]): readonly (string | undefined)[] {
    return failures.map((failure) => /, ([^:,]+): /.exec(failure)?.[1]);
  }

  it('notices a planted object without labels (X41)', () => {
    const owner = { apiVersion: 'zipjobs.dev/v1alpha1' };
    const secret = { kind: 'Secret', metadata: { name: 'planted', ownerReferences: [owner] } };
    expect(columnsOf(planted(secret))).to.deep.equal(['labels', 'annotations']);
  });

  it('notices a planted object without an owner (X41)', () => {
    expect(columnsOf(planted({ kind: 'Secret' }))).to.deep.equal(['owner']);
  });

  it('notices a planted pod that has nothing of it (X41)', () => {
    const spec = {
      template: {
        metadata: {},
        spec: { containers: [{ name: 'a', image: 'a', resources: { limits: {} } }] },
      },
    };
    expect(columnsOf(planted({ kind: 'CronJob', spec }))).to.deep.equal([
      'labels',
      'annotations',
      'owner',
      'service links',
      'OS',
      'injection',
      'security context',
      'log',
      'pull Secrets',
      'priority',
    ]);
  });

  it('notices an object of a kind that is not listed (X41)', () => {
    expect(columnsOf(planted({ kind: 'Widget' }))).to.include.members(['ports', 'service links', 'priority']);
  });
});
