/**
 * Compares the YAML (which the API server enforces) with the types (which the code uses): refuses a schema whose
 * properties differ from those of the samples.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import {
  API_GROUP,
  API_VERSION,
  GROUP_VERSION,
  type Kind,
  MAX_ZIP_JOB_NAME_LENGTH,
  PLURALS,
} from '#crds/api-group.ts';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import { MOST_RECORDS_LENGTH } from '#crds/zip-checkpoint.ts';
import * as zip from '#crds/zip-job.ts';
import { MOST_CHECK_FAILURES } from '#crds/zip-outcome.ts';
import { PERMISSIONS } from '#crds/zip-token.ts';
import { SAMPLES } from './schema-samples.ts';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly maxItems?: number;
  readonly maxLength?: number;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every path at which the fields of schema and sample differ. */
function differences(schema: Schema | undefined, sample: unknown, path: string): string[] {
  if (Array.isArray(sample)) return differences(schema?.items, sample[0], `${path}[]`);
  if (!isRecord(sample) || schema?.properties === undefined) return [];
  const inSchema = Object.keys(schema.properties).toSorted();
  const inType = Object.keys(sample).toSorted();
  const here =
    inSchema.join() === inType.join()
      ? []
      : [`${path}: schema [${inSchema.join()}], type [${inType.join()}]`];
  return [
    ...here,
    ...inType.flatMap((name) => differences(schema.properties?.[name], sample[name], `${path}.${name}`)),
  ];
}

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: Readonly<Record<string, unknown>>;
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

function crdOf(plural: string): Crd {
  return parse(readFileSync(`crds/${plural}.yaml`, 'utf8')) as Crd;
}

function versionOf(plural: string): Crd['spec']['versions'][number] {
  const [version] = crdOf(plural).spec.versions;
  if (version === undefined) throw new Error(`crds/${plural}.yaml has no version`);
  return version;
}

function schemaOf(plural: string): Schema {
  return versionOf(plural).schema.openAPIV3Schema;
}

function at(schema: Schema, ...path: string[]): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (node, name) => (name === '[]' ? node?.items : node?.properties?.[name]),
    schema,
  );
}

describe('the CRDs', () => {
  for (const [kind, plural] of Object.entries(PLURALS)) {
    const sample = SAMPLES[kind as Kind];

    it(`of ${kind} use the names in the code`, () => {
      const { metadata, spec: crd } = crdOf(plural);
      expect(metadata.name).to.equal(`${plural}.${API_GROUP}`);
      expect(crd.names).to.include({ kind, plural, singular: kind.toLowerCase() });
      // `kubectl get zip` shows what people work with.
      expect(crd.names['categories']).to.deep.equal(kind === 'ZipCheckpoint' ? undefined : ['zip']);
      expect(`${crd.group}/${versionOf(plural).name}`).to.equal(GROUP_VERSION);
      expect(versionOf(plural)).to.deep.include({
        name: API_VERSION,
        served: true,
        storage: true,
        subresources: { status: {} },
      });
    });

    it(`of ${kind} have exactly the fields of the type`, () => {
      expect(differences(at(schemaOf(plural), 'spec'), sample.spec, 'spec')).to.deep.equal([]);
      expect(differences(at(schemaOf(plural), 'status'), sample.status, 'status')).to.deep.equal([]);
    });
  }

  it('allow exactly the enum values in the code', () => {
    const schema = schemaOf('zipjobs');
    const words: readonly [readonly string[], ...string[]][] = [
      [zip.SERVICES, 'spec', 'service'],
      [zip.COMPRESSIONS, 'spec', 'compression'],
      [zip.ON_SOURCE_ERRORS, 'spec', 'onSourceError'],
      [zip.ON_CONFLICTS, 'spec', 'onConflict'],
      [zip.PORTABLE_NAMES, 'spec', 'portableNames'],
      [zip.MANIFEST_FORMATS, 'spec', 'manifestFormat'],
      [zip.WEBHOOK_EVENTS, 'spec', 'webhook', 'events', '[]'],
      [zip.PHASES, 'status', 'phase'],
      [zip.API_STATUSES, 'status', 'apiStatus'],
    ];
    for (const [known, ...path] of words)
      expect(at(schema, ...path)?.enum, path.join('.')).to.deep.equal(known);
    expect(at(schemaOf('zipprojects'), 'spec', 'jobDefaults', 'manifestFormat')?.enum).to.deep.equal(
      zip.MANIFEST_FORMATS,
    );
    expect(at(schemaOf('zipprojects'), 'spec', 'callerOptions', 'closed', '[]')?.enum).to.deep.equal(
      CALLER_OPTIONS,
    );
    expect(at(schemaOf('ziptokens'), 'spec', 'permissions', '[]')?.enum).to.deep.equal(PERMISSIONS);
  });

  it('limit the list of failing sources to as many as the zipper writes', () => {
    const list = at(schemaOf('zipjobs'), 'status', 'sourceCheck', 'failures');
    expect(list?.maxItems).to.equal(MOST_CHECK_FAILURES);
  });

  it('limit the records of a checkpoint to what the zipper writes', () => {
    expect(at(schemaOf('zipcheckpoints'), 'status', 'records')?.maxLength).to.equal(MOST_RECORDS_LENGTH);
  });

  it('limit names so that the names of child objects fit', () => {
    expect(readFileSync('crds/zipjobs.yaml', 'utf8')).to.contain(
      `self.metadata.name.size() <= ${MAX_ZIP_JOB_NAME_LENGTH}`,
    );
  });
});
