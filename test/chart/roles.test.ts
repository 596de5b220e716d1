import { expect } from 'chai';
import { ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { find, type KubeObject, NAMESPACE, render } from './render.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const ROLE_KINDS = ['Role', 'ClusterRole'];

function rulesOf(role: KubeObject): readonly Rule[] {
  return role['rules'] as readonly Rule[];
}

/** One line per resource, so that a difference shows what is granted. */
function grants(role: KubeObject): readonly string[] {
  return rulesOf(role)
    .flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.map((resource) => {
          const named = resourceNames === undefined ? '' : ` [${resourceNames.join(', ')}]`;
          return `${group === '' ? 'core' : group} ${resource}${named}: ${[...verbs].sort().join(' ')}`;
        }),
      ),
    )
    .sort();
}

describe('the roles of the chart', function () {
  this.timeout(30 * 60_000);
  let objects: readonly KubeObject[];
  before(async () => {
    objects = await render({ 'dashboard.enabled': true });
  });
  function clusterRole(name: string): KubeObject {
    return find(objects, 'ClusterRole', name);
  }

  it('name everything they grant, and list no Secrets (P13)', () => {
    const roles = objects.filter(({ kind }) => ROLE_KINDS.includes(kind));
    expect(roles).to.have.length(13);
    for (const rule of roles.flatMap(rulesOf)) {
      expect([...rule.apiGroups, ...rule.resources, ...rule.verbs]).not.to.include('*');
      expect(rule.resources).not.to.include.members(['pods/exec']);
      if (rule.resources.includes('secrets'))
        expect(rule.verbs).not.to.have.any.members(['list', 'watch', 'update', 'patch', 'deletecollection']);
    }
  });

  it('grant the API only what it needs (P13)', () => {
    expect(grants(clusterRole('zipjobs-api'))).to.deep.equal([
      'authentication.k8s.io tokenreviews: create',
      'core namespaces: list watch',
      'core secrets: create',
      'zipjobs.dev zipbuckets: get list watch',
      'zipjobs.dev zipjobs: create get list watch',
      'zipjobs.dev zipjobs: delete',
      'zipjobs.dev zipprojects: get list watch',
      'zipjobs.dev ziptokens/status: patch',
      'zipjobs.dev ziptokens: get list watch',
    ]);
  });

  it('grant the dashboard only the two lists that its users share (P13)', () => {
    expect(grants(clusterRole('zipjobs-dashboard'))).to.deep.equal([
      'zipjobs.dev zipjobs: list watch',
      'zipjobs.dev zipprojects: list watch',
    ]);
  });

  it('grant the controller only what it needs (P13)', () => {
    expect(grants(clusterRole('zipjobs-controller'))).to.deep.equal([
      'batch jobs: create delete get list patch watch',
      'core events: create list patch',
      'core namespaces: get list watch',
      'core pods/status: patch',
      'core pods: delete get list watch',
      'core secrets [zipjobs-webhook]: get',
      'core secrets: delete',
      'core serviceaccounts [zipjobs-zipper]: create delete list patch watch',
      'networking.k8s.io servicecidrs: list',
      'rbac.authorization.k8s.io clusterroles [zipjobs-zipper]: bind',
      'rbac.authorization.k8s.io rolebindings [zipjobs-zipper]: create delete list patch watch',
      'zipjobs.dev zipbuckets/status: patch',
      'zipjobs.dev zipbuckets: get list patch watch',
      'zipjobs.dev zipcheckpoints: create delete patch',
      'zipjobs.dev zipjobs/status: patch',
      'zipjobs.dev zipjobs: delete get list patch watch',
      'zipjobs.dev zipprojects/status: patch',
      'zipjobs.dev zipprojects: get list patch watch',
    ]);
    expect(grants(find(objects, 'Role', 'zipjobs-controller'))).to.deep.equal([
      'coordination.k8s.io leases [zipjobs-controller]: get update',
      'coordination.k8s.io leases: create',
    ]);
    const ofApiServer = find(objects, 'Role', 'zipjobs-api-server-address');
    expect(ofApiServer.metadata.namespace).to.equal('default');
    expect(grants(ofApiServer)).to.deep.equal(['discovery.k8s.io endpointslices [kubernetes]: get']);
  });

  it('grant the uninstall hook only what it needs, and only while it runs', () => {
    expect(grants(clusterRole('zipjobs-uninstall'))).to.deep.equal([
      'zipjobs.dev zipbuckets: list patch',
      'zipjobs.dev zipjobs: list patch',
      'zipjobs.dev zipprojects: list patch',
    ]);
    expect(grants(find(objects, 'Role', 'zipjobs-uninstall'))).to.deep.equal([
      'coordination.k8s.io leases [zipjobs-controller]: delete get update',
      'core serviceaccounts [zipjobs-controller]: get',
    ]);
    const own = objects.filter(({ metadata }) => metadata.name === 'zipjobs-uninstall');
    expect(own).to.have.length(6);
    for (const { kind, metadata } of own) {
      expect(metadata.annotations, kind).to.include({ 'helm.sh/hook': 'pre-delete' });
      const policy = metadata.annotations?.['helm.sh/hook-delete-policy'];
      expect(policy, kind).to.equal('before-hook-creation,hook-succeeded,hook-failed');
    }
  });

  it('let helm test read what the release contains, while it runs, and change nothing (X29)', () => {
    expect(grants(clusterRole('zipjobs-test'))).to.deep.equal([
      'admissionregistration.k8s.io validatingadmissionpolicies: get',
      'admissionregistration.k8s.io validatingadmissionpolicybindings: get',
      'apiextensions.k8s.io customresourcedefinitions: get',
      'rbac.authorization.k8s.io clusterrolebindings: get',
      'rbac.authorization.k8s.io clusterroles: get',
      'rbac.authorization.k8s.io rolebindings: get',
      'rbac.authorization.k8s.io roles: get',
    ]);
    expect(grants(find(objects, 'Role', 'zipjobs-test'))).to.deep.equal([
      'apps deployments: list',
      'coordination.k8s.io leases [zipjobs-controller]: get',
      'core configmaps [zipjobs-release]: get',
      'core pods: list',
    ]);
    const own = objects.filter(({ kind, metadata }) => metadata.name === 'zipjobs-test' && kind !== 'Pod');
    expect(own).to.have.length(5);
    for (const { kind, metadata } of own)
      expect(metadata.annotations, kind).to.include({
        'helm.sh/hook': 'test',
        'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed',
      });
  });

  it('are not rendered for the uninstall hook when it is disabled', async () => {
    const rendered = await render({ 'uninstall.releaseFinalizers': false });
    const names = rendered.map(({ metadata }) => metadata.name);
    expect(names).not.to.include('zipjobs-uninstall');
  });

  it('grant the zipper one verb on two subresources (P4)', () => {
    expect(grants(clusterRole(ZIPPER_SERVICE_ACCOUNT))).to.deep.equal([
      'zipjobs.dev zipcheckpoints/status: patch',
      'zipjobs.dev zipjobs/status: patch',
    ]);
  });

  it('show checkpoints to no role of users, to the API and to the dashboard', () => {
    const others = objects.filter(
      ({ kind, metadata }) =>
        ROLE_KINDS.includes(kind) && !['zipjobs-controller', ZIPPER_SERVICE_ACCOUNT].includes(metadata.name),
    );
    expect(others).to.have.length(10);
    expect(others.flatMap(grants).join()).not.to.contain('zipcheckpoints');
  });

  it('add no status to the default user roles, and tokens only to admin', () => {
    function aggregatesOf(name: string): readonly string[] {
      return Object.keys(clusterRole(name).metadata.labels ?? {}).filter((label) =>
        label.includes('aggregate-to'),
      );
    }
    expect(aggregatesOf('zipjobs-view')).to.have.length(3);
    const edit = ['edit', 'admin'].map((role) => `rbac.authorization.k8s.io/aggregate-to-${role}`);
    expect(aggregatesOf('zipjobs-edit')).to.have.members(edit);
    expect(aggregatesOf('zipjobs-admin')).to.deep.equal(['rbac.authorization.k8s.io/aggregate-to-admin']);
    function all(name: string): string {
      return grants(clusterRole(name)).join();
    }
    for (const name of ['zipjobs-view', 'zipjobs-edit']) expect(all(name)).not.to.contain('ziptokens');
    for (const name of ['zipjobs-view', 'zipjobs-edit', 'zipjobs-admin'])
      expect(all(name)).not.to.contain('/status');
  });

  it('let only admins of a namespace make a bucket readable (SB4)', () => {
    const roles = objects.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
    const allowed = roles.filter((role) => grants(role).join().includes('read-sources'));
    expect(allowed.map(({ metadata }) => metadata.name)).to.deep.equal(['zipjobs-admin']);
  });

  it('do not extend the default user roles when that is disabled', async () => {
    const rendered = await render({ 'rbac.aggregate': false });
    const names = rendered.filter(({ kind }) => kind === 'ClusterRole').map(({ metadata }) => metadata.name);
    const own = [
      'zipjobs-api',
      'zipjobs-controller',
      'zipjobs-test',
      'zipjobs-uninstall',
      ZIPPER_SERVICE_ACCOUNT,
    ];
    expect(names).to.have.members(own);
  });

  it('are bound to the service accounts of the pods, whatever their names', async () => {
    const rendered = await render({
      'api.serviceAccountName': 'first',
      'controller.serviceAccountName': 'second',
      'dashboard.enabled': true,
      'dashboard.serviceAccountName': 'third',
    });
    for (const [component, name] of [
      ['api', 'first'],
      ['controller', 'second'],
      ['dashboard', 'third'],
    ] as const) {
      const deployment = JSON.stringify(find(rendered, 'Deployment', `zipjobs-${component}`));
      expect(deployment).to.contain(`"serviceAccountName":"${name}"`);
      const subject = { kind: 'ServiceAccount', name, namespace: NAMESPACE };
      const binding = find(rendered, 'ClusterRoleBinding', `zipjobs-${component}`);
      expect(binding['subjects']).to.deep.equal([subject]);
    }
    const policies = JSON.stringify(rendered.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy'));
    expect(policies).to.contain(`system:serviceaccount:${NAMESPACE}:first`);
    expect(policies).to.contain(`system:serviceaccount:${NAMESPACE}:second`);
    for (const component of ['api', 'controller'])
      expect(policies).not.to.contain(`system:serviceaccount:${NAMESPACE}:zipjobs-${component}`);
  });

  it('come with policies that are evaluated only for our kinds, our processes or our objects (X13)', () => {
    for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')) {
      const { matchConditions, paramKind, matchConstraints } = spec as {
        matchConditions?: unknown[];
        paramKind?: unknown;
        matchConstraints: { objectSelector?: { matchLabels?: object } };
      };
      const ofOurs = matchConstraints.objectSelector?.matchLabels;
      const binding = find(objects, 'ValidatingAdmissionPolicyBinding', metadata.name);
      const { paramRef } = binding['spec'] as {
        paramRef?: { selector?: { matchLabels?: object }; parameterNotFoundAction?: string };
      };
      // The API server looks up parameters before it evaluates conditions, but only for what the selector matches.
      if (ofOurs !== undefined) expect(ofOurs).to.include.keys('zipjobs.dev/source-buckets');
      else if (paramKind !== undefined)
        expect(paramRef?.parameterNotFoundAction, metadata.name).to.equal('Allow');
      if (paramRef?.selector === undefined || ofOurs !== undefined)
        expect(matchConditions, metadata.name).to.have.length.above(0);
      else expect(paramRef.selector.matchLabels, metadata.name).to.include.keys('app.kubernetes.io/name');
    }
  });

  it('come with policies that are all bound and fail closed', () => {
    const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    expect(policies).to.have.length(24);
    for (const { metadata, spec } of policies) {
      expect(spec).to.include({ failurePolicy: 'Fail' });
      const binding = find(objects, 'ValidatingAdmissionPolicyBinding', metadata.name);
      expect(binding['spec']).to.deep.include({ policyName: metadata.name, validationActions: ['Deny'] });
    }
  });
});
