/** Text that YAML reads as a number, a boolean or nothing stays text, in every value and name. */
import { expect } from 'chai';
import { readChartFile } from '#scripts/sync-values.ts';
import { helm } from './helm-session.ts';
import { CHART, type KubeObject, objectsIn, refusalOf, render, type Values, valueFlags } from './render.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

const MISREAD = ['12345', 'true', '1e3', 'null'];
/** No other text of the chart contains it. */
const PLAIN = 'qqq';

/** Enables every template, and keeps apart what must differ. It overrides the texts. */
const ENABLED: Values = {
  fullnameOverride: '',
  trustedProxies: ['10.0.0.0/8'],
  egress: {},
  'store.allowCidrs': [],
  'networkPolicies.proxyCidrs': [],
  'redis.url': 'redis://redis',
  'monitoring.prometheusRule.runbookUrl': '',
  'monitoring.prometheusRule.disabled': [],
  'tracing.endpoint': 'http://otel-collector:4318',
  ...Object.fromEntries(
    ['api', 'controller', 'dashboard', 'zipper'].map((name) => [`${name}.image.digest`, '']),
  ),
  'api.ingress.enabled': true,
  'api.httpRoute.enabled': true,
  'api.basePath': '/zip',
  'api.autoscaling.enabled': true,
  'dashboard.enabled': true,
  'dashboard.url': 'https://zipjobs.example.com',
  'dashboard.links': [],
  'dashboard.oidc.issuer': 'https://id.example.com',
  'dashboard.ingress.enabled': true,
  'dashboard.httpRoute.enabled': true,
  'history.postgres.users.owner': 'owner',
  'history.postgres.users.reader': 'reader',
  'history.postgres.tls.enabled': true,
  'history.postgres.tls.caSecretKeyRef.name': '',
  'proxy.sources.url': 'http://proxy:3128',
  'proxy.stores.url': 'http://proxy:3128',
  'proxy.webhooks.url': 'http://proxy:3128',
  'networkPolicies.enabled': true,
  'networkPolicies.apiServerCidrs': ['10.96.0.1/32'],
  'networkPolicies.historyEgress': [{ ports: [{ port: 5432 }] }],
  'networkPolicies.tracingEgress': [{ ports: [{ port: 4318 }] }],
  'networkPolicies.cilium.enabled': true,
  'monitoring.podMonitor.enabled': true,
  'monitoring.prometheusRule.enabled': true,
  'monitoring.dashboard.enabled': true,
  'flowControl.enabled': true,
};

function mayBe({ type, enum: choices, pattern = '' }: Schema, texts: readonly string[]): boolean {
  return type === 'string' && !choices && texts.every((text) => new RegExp(pattern).test(text));
}

function propertiesOf({ properties, additionalProperties }: Schema): readonly (readonly [string, Schema])[] {
  return [
    ...Object.entries(properties ?? {}),
    ...(typeof additionalProperties === 'object' ? [['key', additionalProperties] as const] : []),
  ];
}

/** A value in which every text is `text`; undefined if the schema contains no text that may be it. */
function filled(schema: Schema, root: Schema, text: string): unknown {
  const definition = schema.$ref && root.definitions?.[schema.$ref.replace('#/definitions/', '')];
  if (definition) return filled(definition, root, text);
  if (schema.items) {
    const item = filled(schema.items, root, text);
    return item === undefined ? undefined : [item];
  }
  const entries = propertiesOf(schema)
    .map(([name, property]) => [name, filled(property, root, text)] as const)
    .filter(([, value]) => value !== undefined);
  if (entries.length > 0) return Object.fromEntries(entries);
  return mayBe(schema, [PLAIN, ...MISREAD]) ? text : undefined;
}

/** The JSON of each leaf, by its path. Lists in CEL are sorted by their text, so of CEL it is the characters in order. */
function leavesOf(value: unknown, path: string): readonly string[] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, one]) => leavesOf(one, `${path}.${name}`))
    : [
        `${path}: ${path.endsWith('.expression') ? String(value).split('').toSorted().join('') : JSON.stringify(value)}`,
      ];
}

function titleOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

/** The objects of a chart in which every text is `text`, by their titles. */
async function rendered(schema: Schema, text: string): Promise<ReadonlyMap<string, KubeObject>> {
  const flags = valueFlags({ ...(filled(schema, schema, text) as Values), ...ENABLED });
  const objects = objectsIn(await helm(['template', 'zipjobs', CHART, ...flags]));
  // The record has digests of the other objects, so it differs where they do.
  const compared = objects.filter(
    ({ kind, metadata }) => kind !== 'ConfigMap' || !metadata.name.endsWith('-release'),
  );
  return new Map(compared.map((object) => [titleOf(object), object]));
}

function withText(value: unknown, text: string): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(PLAIN, text)) as unknown;
}

describe('text that YAML reads as another type', function () {
  this.timeout(30 * 60_000);

  for (const text of MISREAD)
    it(`is text in every value of the chart: ${text} (BC12)`, async () => {
      const schema = JSON.parse(await readChartFile('schema')) as Schema;
      expect(leavesOf(filled(schema, schema, text), '').length).to.be.above(90);
      const plain = await rendered(schema, PLAIN);
      expect(plain.size).to.be.above(70);
      const objects = await rendered(schema, text);
      const texts = new Set([...objects].flatMap(([title, object]) => leavesOf(object, title)));
      const expected = [...plain].flatMap(([title, object]) =>
        leavesOf(withText(object, text), title.replaceAll(PLAIN, text)),
      );
      expect(expected.filter((leaf) => !texts.has(leaf))).to.deep.equal([]);
    });

  for (const name of MISREAD)
    it(`is text in the names of a release and its namespace: ${name} (BC12)`, async () => {
      const flags = valueFlags({ 'image.registry': 'registry.example.com', 'dashboard.enabled': true });
      const objects = objectsIn(await helm(['template', name, CHART, '--namespace', name, ...flags]));
      const { metadata, ...service } = objects.find(({ kind }) => kind === 'Service') as KubeObject;
      expect(metadata.labels).to.include({ 'app.kubernetes.io/instance': name });
      expect(metadata.namespace).to.equal(name);
      expect(service).to.deep.nested.include({
        'spec.selector': {
          'app.kubernetes.io/name': 'zipjobs',
          'app.kubernetes.io/instance': name,
          'app.kubernetes.io/component': 'api',
        },
      });
      // The API server accepts no other name of a Service.
      for (const {
        kind,
        metadata: { name: own },
      } of objects)
        if (kind === 'Service') expect(own).to.match(/^[a-z][-a-z0-9]*[a-z0-9]$/);
    });

  it('is no prefix of object names that starts with a digit, because a Service could not have it (BC12)', async () => {
    expect(await refusalOf({ fullnameOverride: '2026' })).to.contain('fullnameOverride');
    const names = (await render({ nameOverride: '2026', fullnameOverride: 'zip' })).map(titleOf);
    expect(names).to.include('Service zip-api');
  });
});
