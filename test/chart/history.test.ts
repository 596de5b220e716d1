import { expect } from 'chai';
import { readMigrateConfig } from '#controller/history/migrate/config.ts';
import {
  find,
  type KubeObject,
  type PodSpec,
  plainEnv,
  podOf,
  refusalOf,
  render,
  type Values,
} from './render.ts';

const POSTGRES: Values = {
  'dashboard.enabled': true,
  'history.postgres.host': 'postgres.example.com',
  'history.postgres.existingSecret': 'zipjobs-history',
};
const POLICIES: Values = {
  'networkPolicies.enabled': true,
  'networkPolicies.apiServerCidrs': ['10.96.0.1/32'],
};
const TO_POSTGRES = {
  to: [{ ipBlock: { cidr: '10.20.0.0/24' } }],
  ports: [{ protocol: 'TCP', port: 5432 }],
};

/** The user of each pod. */
const USERS = { api: 'reader', dashboard: 'reader', controller: 'writer', migrate: 'owner' } as const;
type Component = keyof typeof USERS;
const COMPONENTS = Object.keys(USERS) as readonly Component[];

function podOfComponent(objects: readonly KubeObject[], component: Component): PodSpec {
  return podOf(find(objects, component === 'migrate' ? 'Job' : 'Deployment', `zipjobs-${component}`));
}

function historyEnv(pod: PodSpec): Record<string, string | undefined> {
  return Object.fromEntries(
    (pod.containers[0]?.env ?? [])
      .filter(({ name }) => name.startsWith('HISTORY_'))
      .map(({ name, value }) => [name, value]),
  );
}

function egressOf(objects: readonly KubeObject[], component: Component): readonly unknown[] {
  const policy = find(objects, 'NetworkPolicy', `zipjobs-${component}`);
  return (policy['spec'] as { readonly egress: readonly unknown[] }).egress;
}

describe('the history in the chart', function () {
  this.timeout(30 * 60_000);
  let objects: readonly KubeObject[];
  before(async () => {
    objects = await render(POSTGRES);
  });

  it('leaves no trace without a host (G10)', async () => {
    const without: Values = { 'dashboard.enabled': true, 'history.postgres.existingSecret': 'unused' };
    const rendered = await render({
      ...without,
      ...POLICIES,
      'networkPolicies.historyEgress': [TO_POSTGRES],
    });
    const texts = rendered.filter(({ kind }) => kind !== 'CustomResourceDefinition');
    expect(JSON.stringify(texts)).not.to.match(/history_|etc\/zipjobs\/history|unused|5432|-migrate/i);
  });

  it('gives each process its own user and only the password of that user (G10)', () => {
    for (const component of COMPONENTS) {
      const user = USERS[component];
      const pod = podOfComponent(objects, component);
      expect(historyEnv(pod), component).to.include({
        HISTORY_HOST: 'postgres.example.com',
        HISTORY_PORT: '5432',
        HISTORY_DATABASE: 'zipjobs',
        HISTORY_USER: `zipjobs_${user}`,
        HISTORY_PASSWORD_FILE: `/etc/zipjobs/history/${user}-password`,
        HISTORY_TLS: 'verify-full',
      });
      const key = `${user}-password`;
      const volumes = pod.volumes?.filter(({ name }) => name !== 'api-token');
      expect(volumes, component).to.deep.equal([
        { name: 'history', secret: { secretName: 'zipjobs-history', items: [{ key, path: key }] } },
      ]);
      // A folder: the kubelet does not update a file that is mounted by its subPath.
      expect(pod.containers[0]?.['volumeMounts'], component).to.deep.include({
        name: 'history',
        mountPath: '/etc/zipjobs/history',
        readOnly: true,
      });
    }
    expect(JSON.stringify(objects)).not.to.contain('secretKeyRef":{"name":"zipjobs-history"');
  });

  it('accepts other names of users, database and port', async () => {
    const rendered = await render({
      ...POSTGRES,
      'history.postgres.port': 6432,
      'history.postgres.database': 'archive-jobs',
      'history.postgres.users': { owner: 'zip@owner', writer: 'w', reader: 'r' },
    });
    expect(historyEnv(podOfComponent(rendered, 'migrate'))).to.include({
      HISTORY_PORT: '6432',
      HISTORY_DATABASE: 'archive-jobs',
      HISTORY_USER: 'zip@owner',
      HISTORY_WRITER_ROLE: 'w',
      HISTORY_READER_ROLE: 'r',
    });
    expect(historyEnv(podOfComponent(rendered, 'controller'))).to.include({ HISTORY_USER: 'w' });
  });

  for (const [source, volume] of [
    ['caConfigMapKeyRef', { configMap: { name: 'ca', items: [{ key: 'root.pem', path: 'ca.crt' }] } }],
    ['caSecretKeyRef', { secret: { secretName: 'ca', items: [{ key: 'root.pem', path: 'ca.crt' }] } }],
  ] as const)
    it(`mounts the certificate authority of ${source} in every process`, async () => {
      const reference = { name: 'ca', key: 'root.pem' };
      const rendered = await render({ ...POSTGRES, [`history.postgres.tls.${source}`]: reference });
      for (const component of COMPONENTS) {
        const pod = podOfComponent(rendered, component);
        expect(historyEnv(pod)).to.include({ HISTORY_CA_FILE: '/etc/zipjobs/history-ca/ca.crt' });
        expect(pod.volumes).to.deep.include({ name: 'history-ca', ...volume });
      }
    });

  it('gives the migration the trust bundle too, and can switch TLS off', async () => {
    const rendered = await render({
      ...POSTGRES,
      'history.postgres.tls.enabled': false,
      'trustBundle.configMapKeyRef.name': 'corporate-ca',
    });
    for (const component of COMPONENTS)
      expect(historyEnv(podOfComponent(rendered, component))).to.include({ HISTORY_TLS: 'disable' });
    const { containers, volumes } = podOfComponent(rendered, 'migrate');
    expect(volumes?.map(({ name }) => name)).to.deep.equal(['history', 'trust-bundle']);
    const file = '/etc/zipjobs/trust-bundle/ca.crt';
    expect(containers[0]?.env).to.deep.include({ name: 'TRUST_BUNDLE_FILE', value: file });
  });

  it('leaves the settings of the chart to the chart', async () => {
    const container = { name: 'api', env: [{ name: 'HISTORY_HOST', value: 'other' }] };
    const own = { 'api.podTemplate.spec.containers': [container] };
    expect(await refusalOf({ ...POSTGRES, ...own })).to.contain('contains the variable HISTORY_HOST');
    expect(await refusalOf(own)).to.contain('contains the variable HISTORY_HOST');
  });

  const refused: readonly [string, Values, string][] = [
    [
      'one user for two roles',
      { ...POSTGRES, 'history.postgres.users.owner': 'zipjobs_writer' },
      'must be three different users',
    ],
    ['a host without a Secret', { 'history.postgres.host': 'p' }, 'set history.postgres.existingSecret too'],
    [
      'two certificate authorities',
      {
        ...POSTGRES,
        'history.postgres.tls': { caConfigMapKeyRef: { name: 'a' }, caSecretKeyRef: { name: 'b' } },
      },
      'set only one of them',
    ],
    [
      'a certificate authority without TLS',
      { ...POSTGRES, 'history.postgres.tls': { enabled: false, caSecretKeyRef: { name: 'b' } } },
      'history.postgres.tls.caSecretKeyRef.name has no effect',
    ],
    [
      'network policies that close PostgreSQL',
      { ...POSTGRES, ...POLICIES },
      'set networkPolicies.historyEgress',
    ],
    [
      'a URL as host',
      { ...POSTGRES, 'history.postgres.host': 'postgres://u:p@h' },
      'history.postgres.host is not',
    ],
    ['an unknown value', { ...POSTGRES, 'history.postgres.hots': 'p' }, "'hots' not allowed"],
    ['an unknown mode of TLS', { ...POSTGRES, 'history.postgres.tls.mode': 'require' }, "'mode' not allowed"],
    ['a password in the values', { ...POSTGRES, 'history.postgres.password': 'p' }, "'password' not allowed"],
  ];
  for (const [what, values, message] of refused)
    it(`refuses ${what}`, async () => {
      expect(await refusalOf(values)).to.contain(message);
    });
});

describe('the migration Job of the chart', function () {
  this.timeout(30 * 60_000);
  let objects: readonly KubeObject[];
  before(async () => {
    objects = await render({
      ...POSTGRES,
      ...POLICIES,
      'networkPolicies.historyEgress': [TO_POSTGRES],
      'networkPolicies.cilium.enabled': true,
      'image.pullSecrets': [{ name: 'mirror' }],
      'history.migration.deadlineSeconds': 90,
      'hooks.podTemplate.metadata': { labels: { mesh: 'off' }, annotations: { a: 'b' } },
      'controller.podTemplate': {
        metadata: { labels: { only: 'the-controller' } },
        spec: {
          priorityClassName: 'high',
          runtimeClassName: 'gvisor',
          nodeSelector: { disk: 'fast' },
          tolerations: [{ key: 'spot', operator: 'Exists' }],
          terminationGracePeriodSeconds: 44,
          volumes: [{ name: 'more', emptyDir: {} }],
          containers: [
            {
              name: 'controller',
              resources: { limits: { memory: '300Mi' } },
              volumeMounts: [{ name: 'more', mountPath: '/more' }],
            },
            { name: 'sidecar', image: 'sidecar:1' },
          ],
        },
      },
    });
  });

  it('runs before an installation and an upgrade, and is kept if it fails', () => {
    const hooks = objects.filter(({ metadata }) => metadata.name === 'zipjobs-migrate');
    expect(hooks.map(({ kind }) => kind)).to.have.members(['Job', 'NetworkPolicy', 'ServiceAccount']);
    for (const { kind, metadata } of hooks)
      expect(metadata.annotations, kind).to.include({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-weight': kind === 'Job' ? '0' : '-5',
        'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
      });
    const job = find(objects, 'Job', 'zipjobs-migrate');
    expect(job.metadata.annotations).to.include({ 'helm.sh/hook-output-log-policy': 'hook-failed' });
    const lost = [{ type: 'DisruptionTarget', status: 'True' }];
    expect(job['spec']).to.deep.include({
      backoffLimit: 0,
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: lost }] },
      activeDeadlineSeconds: 90,
    });
  });

  it('passes what its program needs, which ends before the deadline of the Job', () => {
    const [container] = podOf(find(objects, 'Job', 'zipjobs-migrate')).containers;
    const env = new Map((container?.env ?? []).map((variable) => [variable.name, variable]));
    expect(readMigrateConfig(plainEnv(env))).to.include({
      historyUser: 'zipjobs_owner',
      historyPasswordFile: '/etc/zipjobs/history/owner-password',
      writerRole: 'zipjobs_writer',
      readerRole: 'zipjobs_reader',
      historyStatementTimeoutMs: 90_000,
      limitSeconds: 60,
    });
  });

  it('has an account without rights, and no token (P12)', () => {
    const pod = podOf(find(objects, 'Job', 'zipjobs-migrate'));
    expect(pod).to.include({ serviceAccountName: 'zipjobs-migrate', automountServiceAccountToken: false });
    expect(find(objects, 'ServiceAccount', 'zipjobs-migrate')).to.include({
      automountServiceAccountToken: false,
    });
    const bindings = objects.filter(({ kind }) => kind.endsWith('RoleBinding'));
    expect(JSON.stringify(bindings)).not.to.contain('-migrate');
  });

  it('runs like the controller: image, scheduling, resources and pull Secrets', () => {
    const job = find(objects, 'Job', 'zipjobs-migrate');
    const [pod, controller] = [podOf(job), podOf(find(objects, 'Deployment', 'zipjobs-controller'))];
    for (const field of [
      'imagePullSecrets',
      'securityContext',
      'priorityClassName',
      'runtimeClassName',
      'nodeSelector',
      'tolerations',
    ])
      expect(pod[field], field).to.deep.equal(controller[field]);
    expect(pod['tolerations']).to.deep.equal([{ key: 'spot', operator: 'Exists' }]);
    const [own, other] = [pod.containers[0], controller.containers[0]];
    for (const field of ['image', 'imagePullPolicy', 'resources', 'securityContext'])
      expect(own?.[field], field).to.deep.equal(other?.[field]);
    const { template } = job['spec'] as { template: Pick<KubeObject, 'metadata'> };
    expect(template.metadata.labels).to.include({ mesh: 'off', 'app.kubernetes.io/component': 'migrate' });
    expect(template.metadata.annotations).to.include({ a: 'b' });
  });

  it('has no sidecar, volume and label of the controller, which could prevent its end', () => {
    const job = find(objects, 'Job', 'zipjobs-migrate');
    const { containers, volumes, terminationGracePeriodSeconds } = podOf(job);
    expect(containers.map(({ name }) => name)).to.deep.equal(['migrate']);
    expect(volumes?.map(({ name }) => name)).to.deep.equal(['history']);
    expect(terminationGracePeriodSeconds).to.equal(undefined);
    expect(JSON.stringify(job)).not.to.contain('the-controller').and.not.to.contain('/more');
  });

  it('may connect to DNS and PostgreSQL only, and the processes to PostgreSQL too (P10)', () => {
    const [dns, ...rest] = egressOf(objects, 'migrate');
    expect(JSON.stringify(dns)).to.contain('"port":53');
    expect(rest).to.deep.equal([TO_POSTGRES]);
    for (const component of COMPONENTS) expect(egressOf(objects, component)).to.deep.include(TO_POSTGRES);
    const policy = find(objects, 'NetworkPolicy', 'zipjobs-migrate')['spec'] as {
      readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    };
    expect(policy).to.deep.include({ policyTypes: ['Ingress', 'Egress'], ingress: [] });
    expect(policy.podSelector.matchLabels).to.include({ 'app.kubernetes.io/component': 'migrate' });
    const ofCilium = objects.filter(({ apiVersion }) => apiVersion === 'cilium.io/v2');
    expect(ofCilium).to.have.length(2);
    expect(JSON.stringify(ofCilium)).not.to.contain('migrate');
  });
});
