import { expect } from 'chai';
import { digestOf, readRecord } from '#runtime/doctor/release-record.ts';
import { find, type KubeObject, render, type Values } from './render.ts';

/** Kinds that decide what is accepted and permitted. */
const RECORDED = [
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'Role',
  'RoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
];

/** Objects of a hook exist only while it runs. */
function isHook({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['helm.sh/hook'] !== undefined;
}

function lineOf({ kind, metadata, ...object }: KubeObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name} ${digestOf(kind, object)}`;
}

const VALUES: Readonly<Record<string, Values>> = {
  'without values': {},
  'with everything': {
    'dashboard.enabled': true,
    fullnameOverride: 'z',
    commonLabels: { team: 'storage' },
    'policies.zipperImageMirrors': ['mirror.example.com/zipjobs'],
    'zipper.podTemplate.metadata.annotations': { note: 'a "quoted" text <&> \\ é' },
  },
};

describe('the record of the release', function () {
  this.timeout(30 * 60_000);

  for (const [title, values] of Object.entries(VALUES))
    it(`has the digest of every policy, role, binding and definition ${title} (X29)`, async () => {
      const objects = await render(values);
      const name = values['fullnameOverride'] === undefined ? 'zipjobs-release' : 'z-release';
      const record = readRecord(find(objects, 'ConfigMap', name));
      const expected = objects.filter((one) => RECORDED.includes(one.kind) && !isHook(one)).map(lineOf);
      expect(expected.length).to.be.greaterThan(50);
      const recorded = record?.objects.map(
        ({ kind, namespace = '', name: object, digest }) => `${kind} ${namespace}/${object} ${digest}`,
      );
      expect(recorded?.toSorted()).to.deep.equal(expected.toSorted());
    });
});
