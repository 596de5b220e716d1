import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';

interface Crd {
  readonly spec: {
    readonly versions: readonly {
      readonly additionalPrinterColumns: readonly { readonly name: string; readonly priority?: number }[];
    }[];
  };
}

describe('kubectl get zipjobs', () => {
  it('shows key, phase and reason of a job first, without -o wide (Q-O3)', () => {
    const crd = parse(readFileSync('crds/zipjobs.yaml', 'utf8')) as Crd;
    const columns = crd.spec.versions[0]?.additionalPrinterColumns ?? [];
    const shown = columns.filter(({ priority = 0 }) => priority === 0).map(({ name }) => name);
    expect(shown.slice(0, 3)).to.deep.equal(['Key', 'Phase', 'Reason']);
  });
});
