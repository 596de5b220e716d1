import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { find, render } from './render.ts';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Source {
  readonly path?: readonly string[];
  readonly valueFrom?: readonly string[];
  readonly labelFromKey?: string;
  readonly labelsFromPath?: Readonly<Record<string, readonly string[]>>;
  readonly list?: readonly string[];
}

interface Metric {
  readonly name: string;
  readonly each: {
    readonly type: string;
    readonly gauge?: Source;
    readonly info?: Source;
    readonly stateSet?: Source;
  };
}

interface Resource {
  readonly groupVersionKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly labelsFromPath: Readonly<Record<string, readonly string[]>>;
  readonly metrics: readonly Metric[];
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const METADATA: Schema = { properties: { name: { type: 'string' }, namespace: { type: 'string' } } };

/** The field at a path; kube-state-metrics reads every item of a list. */
function fieldAt(schema: Schema, path: readonly string[]): Schema {
  let field = schema;
  for (const name of path) {
    const next = (field.items ?? field).properties?.[name];
    if (next === undefined) throw new Error(`no field ${name} of ${path.join('.')}`);
    field = next;
  }
  return field;
}

/** Fields that kube-state-metrics converts to a number; of texts, only conditions have some. */
function expectNumber(field: Schema, path: readonly string[]): void {
  const isCondition = path.join('.') === 'status.conditions.status';
  expect(field.type, path.join('.')).to.be.oneOf(isCondition ? ['string'] : ['integer', 'number', 'boolean']);
}

function expectGauge(schema: Schema, { path = [], valueFrom = [], labelFromKey }: Source): void {
  const names = Object.keys(fieldAt(schema, path).properties ?? {});
  const paths = labelFromKey === undefined ? [[...path, ...valueFrom]] : names.map((name) => [...path, name]);
  expect(paths).not.to.be.empty;
  for (const one of paths) expectNumber(fieldAt(schema, one), one);
}

function expectMetric(schema: Schema, { each }: Metric): void {
  const source = each.gauge ?? each.info ?? each.stateSet ?? {};
  const { path = [], labelsFromPath = {} } = source;
  for (const label of [[], ...Object.values(labelsFromPath)]) fieldAt(schema, [...path, ...label]);
  if (each.type === 'Gauge') expectGauge(schema, source);
}

describe('the configuration for kube-state-metrics', function () {
  this.timeout(30 * 60_000);

  it('reads fields of ZipProjects and ZipBuckets that exist, and no ZipJobs (X27)', async () => {
    const objects = await render({
      'monitoring.kubeStateMetrics.enabled': true,
      'monitoring.kubeStateMetrics.labels': { team: 'platform' },
    });
    const map = find(objects, 'ConfigMap', 'zipjobs-kube-state-metrics');
    expect(map.metadata.labels).to.include({ team: 'platform' });
    const text = (map['data'] as Readonly<Record<string, string>>)['custom-resource-state.yaml'] ?? '';
    const { kind, spec } = parse(text) as { kind: string; spec: { resources: readonly Resource[] } };
    expect(kind).to.equal('CustomResourceStateMetrics');
    expect(spec.resources.map((one) => one.groupVersionKind.kind)).to.deep.equal(['ZipProject', 'ZipBucket']);
    for (const { groupVersionKind, labelsFromPath, metrics } of spec.resources) {
      const file = `crds/${groupVersionKind.kind.toLowerCase()}s.yaml`;
      const { spec: own } = parse(await readFile(file, 'utf8')) as Definition;
      const version = own.versions.find(({ name }) => name === groupVersionKind.version);
      expect(own.group).to.equal(groupVersionKind.group);
      const properties = { ...version?.schema.openAPIV3Schema.properties, metadata: METADATA };
      for (const path of Object.values(labelsFromPath)) fieldAt({ properties }, path);
      expect(labelsFromPath['project']).to.deep.equal(['metadata', 'namespace']);
      for (const metric of metrics) expectMetric({ properties }, metric);
    }
  });
});
