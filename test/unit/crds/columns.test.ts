import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type Condition, REASONS, type Reason } from '#crds/conditions.ts';

interface Version {
  readonly additionalPrinterColumns: readonly { readonly name: string; readonly priority?: number }[];
  readonly schema: {
    readonly openAPIV3Schema: {
      readonly properties: {
        readonly status: {
          readonly default?: object;
          readonly properties: { readonly conditions: { readonly default?: readonly Condition[] } };
        };
      };
    };
  };
}

function versionOf(file: string): Version {
  const crd = parse(readFileSync(`crds/${file}.yaml`, 'utf8')) as { spec: { versions: readonly [Version] } };
  return crd.spec.versions[0];
}

function columnsOf(file: string): readonly string[] {
  return versionOf(file)
    .additionalPrinterColumns.filter(({ priority = 0 }) => priority === 0)
    .map(({ name }) => name);
}

describe('kubectl get', () => {
  it('shows key, phase and reason of a job first, without -o wide (Q-O3)', () => {
    expect(columnsOf('zipjobs').slice(0, 3)).to.deep.equal(['Key', 'Phase', 'Reason']);
  });

  for (const [file, reason] of [
    ['zipbuckets', 'NotTested'],
    ['zipprojects', 'Pending'],
  ] as const satisfies readonly (readonly [string, Reason])[])
    it(`shows why ${file} are not ready, also before there is a status (Q-O3)`, () => {
      expect(columnsOf(file).join()).to.contain('Ready,Reason');
      const { status } = versionOf(file).schema.openAPIV3Schema.properties;
      // The default of a field applies only in an object that exists.
      expect(status.default).to.deep.equal({});
      expect(status.properties.conditions.default).to.deep.equal([
        {
          type: 'Ready',
          status: 'Unknown',
          reason,
          message: REASONS[reason],
          lastTransitionTime: '1970-01-01T00:00:00Z',
        },
      ]);
    });
});
