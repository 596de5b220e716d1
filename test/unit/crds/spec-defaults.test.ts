import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { SPEC_DEFAULTS } from '#crds/zip-job.ts';

interface Field {
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Field>>;
}
interface Crd {
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Field } }[] };
}

describe('SPEC_DEFAULTS', () => {
  it('equal the defaults that the API server sets in a ZipJob', () => {
    const crd = parse(readFileSync('crds/zipjobs.yaml', 'utf8')) as Crd;
    const fields = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec']?.properties ?? {};
    const defaults = Object.entries(fields).filter(([, field]) => field.default !== undefined);
    expect(Object.fromEntries(defaults.map(([name, field]) => [name, field.default]))).to.deep.equal(
      SPEC_DEFAULTS,
    );
  });
});
