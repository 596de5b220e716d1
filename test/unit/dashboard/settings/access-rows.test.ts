import { expect } from 'chai';
import { accessRows } from '#dashboard/settings/access-rows.ts';
import type { RoleBinding } from '#runtime/kube/resources.ts';

function binding(
  name: string,
  roleRef: { readonly name: string; readonly kind?: string },
  subjects: RoleBinding['subjects'],
): RoleBinding {
  return {
    metadata: { namespace: 'team-a', name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', ...roleRef },
    ...(subjects && { subjects }),
  };
}

function user(name: string) {
  return { kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' };
}

describe('accessRows', () => {
  it('lists subjects with most permissions first, and what each role allows', () => {
    const { rows, more } = accessRows([
      binding('v', { name: 'view' }, [
        user('vera'),
        { kind: 'ServiceAccount', name: 'bot', namespace: 'ci' },
      ]),
      binding('c', { name: 'custom', kind: 'Role' }, [user('carl')]),
      binding('a', { name: 'admin' }, [user('ada')]),
      binding('empty', { name: 'edit' }, undefined),
      binding('own', { name: 'zipjobs-zipper' }, [
        { kind: 'ServiceAccount', name: 'zipjobs-zipper', namespace: 'team-a' },
      ]),
    ]);
    expect(rows.map(({ subject, kind, role, binding: of }) => [subject, kind, role, of])).to.deep.equal([
      ['ada', 'User', 'admin', 'a'],
      ['ci/bot', 'ServiceAccount', 'view', 'v'],
      ['vera', 'User', 'view', 'v'],
      ['carl', 'User', 'custom', 'c'],
    ]);
    expect(rows.map(({ allows }) => allows.slice(0, 15))).to.deep.equal([
      'Change settings',
      'Read jobs, buck',
      'Read jobs, buck',
      'Depends on the ',
    ]);
    expect(more).to.equal(0);
  });

  it('does not mistake a Role of the namespace for the cluster role of that name', () => {
    const { rows } = accessRows([binding('r', { name: 'admin', kind: 'Role' }, [user('eve')])]);
    expect(rows.map(({ allows }) => allows)).to.deep.equal(['Depends on the rules of the role']);
  });

  it('is limited to a hundred rows', () => {
    const subjects = Array.from({ length: 130 }, (_, n) => user(`user-${n}`));
    const { rows, more } = accessRows([binding('many', { name: 'view' }, subjects)]);
    expect([rows.length, more]).to.deep.equal([100, 30]);
  });
});
