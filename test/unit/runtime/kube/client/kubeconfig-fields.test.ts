import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '#runtime/errors.ts';
import type { KubeCredentials } from '#runtime/kube/client/kube-access.ts';
import { accessOfKubeconfig } from '#runtime/kube/client/kubeconfig-file.ts';

type Fields = Readonly<Record<string, unknown>>;
/** What requests carry; CA and certificates as text. */
interface Sent {
  readonly server?: string;
  readonly namespace?: string;
  readonly headers?: KubeCredentials['headers'];
  readonly tls?: Fields;
}
interface Case {
  /** Path of the field, as in the reference of kubeconfig v1. */
  readonly field: string;
  readonly what?: string;
  readonly top?: Fields;
  readonly cluster?: Fields;
  readonly context?: Fields;
  readonly user?: Fields;
  readonly sends?: Sent;
  /** What the error says, with the remedy. */
  readonly refuses?: RegExp;
}

function b64(text: string): string {
  return btoa(text);
}
const AS = { as: 'ada' };
const PLUGIN = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin' };
function bearer(token: string): Sent {
  return { headers: { authorization: `Bearer ${token}` } };
}
/** The plugin of the test returns its arguments and variables as the token. */
function plugin(more: Fields, cluster: Fields = {}): Pick<Case, 'user' | 'cluster'> {
  return { user: { exec: { ...PLUGIN, ...more } }, cluster };
}
const NOTHING: Sent = { headers: {}, tls: {} };

const CASES: readonly Case[] = [
  { field: 'apiVersion', top: { apiVersion: 'v1' }, sends: NOTHING },
  { field: 'kind', top: { kind: 'Config' }, sends: NOTHING },
  { field: 'preferences', top: { preferences: { colors: true } }, sends: NOTHING },
  { field: 'extensions', top: { extensions: [{ name: 'a', extension: {} }] }, sends: NOTHING },
  { field: 'current-context', sends: { server: 'https://c.test' } },
  { field: 'clusters[].name', sends: { server: 'https://c.test' } },
  {
    field: 'cluster.server',
    cluster: { server: 'https://other.test/' },
    sends: { server: 'https://other.test' },
  },
  {
    field: 'cluster.tls-server-name',
    cluster: { 'tls-server-name': 'n' },
    sends: { tls: { servername: 'n' } },
  },
  {
    field: 'cluster.insecure-skip-tls-verify',
    cluster: { 'insecure-skip-tls-verify': true },
    sends: { tls: { rejectUnauthorized: false } },
  },
  {
    field: 'cluster.certificate-authority',
    cluster: { 'certificate-authority': 'file' },
    sends: { tls: { ca: 'of-file' } },
  },
  {
    field: 'cluster.certificate-authority-data',
    what: 'overrides the file',
    cluster: { 'certificate-authority-data': b64('data'), 'certificate-authority': 'none' },
    sends: { tls: { ca: 'data' } },
  },
  {
    field: 'cluster.proxy-url',
    cluster: { 'proxy-url': 'http://p' },
    refuses: /proxy-url.*Remove proxy-url/,
  },
  { field: 'cluster.disable-compression', cluster: { 'disable-compression': true }, sends: NOTHING },
  { field: 'cluster.extensions', cluster: { extensions: [{ name: 'a', extension: {} }] }, sends: NOTHING },
  { field: 'contexts[].name', sends: { server: 'https://c.test' } },
  { field: 'context.cluster', context: { cluster: 'second' }, sends: { server: 'https://second.test' } },
  { field: 'context.user', context: { user: 'second' }, sends: bearer('of-second') },
  {
    field: 'context.user',
    what: 'must exist',
    context: { user: 'nobody' },
    refuses: /the user nobody, which does not exist. Add the user/,
  },
  { field: 'context.namespace', context: { namespace: 'acme' }, sends: { namespace: 'acme' } },
  { field: 'context.extensions', context: { extensions: [{ name: 'a', extension: {} }] }, sends: NOTHING },
  { field: 'users[].name', sends: NOTHING },
  {
    field: 'user.client-certificate',
    user: { 'client-certificate': 'file' },
    sends: { tls: { cert: 'of-file' } },
  },
  {
    field: 'user.client-certificate-data',
    what: 'overrides the file',
    user: { 'client-certificate-data': b64('data'), 'client-certificate': 'none' },
    sends: { tls: { cert: 'data' } },
  },
  { field: 'user.client-key', user: { 'client-key': 'file' }, sends: { tls: { key: 'of-file' } } },
  {
    field: 'user.client-key-data',
    what: 'overrides the file',
    user: { 'client-key-data': b64('data'), 'client-key': 'none' },
    sends: { tls: { key: 'data' } },
  },
  { field: 'user.token', user: { token: 'abc' }, sends: bearer('abc') },
  {
    field: 'user.tokenFile',
    what: 'is relative to the kubeconfig',
    user: { tokenFile: 'file' },
    sends: bearer('of-file'),
  },
  {
    field: 'user.tokenFile',
    what: 'overrides token',
    user: { tokenFile: 'file', token: 'abc' },
    sends: bearer('of-file'),
  },
  {
    field: 'user.tokenFile',
    what: 'must exist',
    user: { tokenFile: 'none' },
    refuses: /none \(tokenFile in the kubeconfig\) cannot be read/,
  },
  {
    field: 'user.token-file',
    what: 'is no field of kubectl',
    user: { 'token-file': 'file' },
    refuses: /token-file is not a field.*Use tokenFile/,
  },
  { field: 'user.as', user: AS, sends: { headers: { 'impersonate-user': 'ada' } } },
  { field: 'user.as', what: 'impersonates nobody if it is empty', user: { as: '' }, sends: NOTHING },
  {
    field: 'user.as-uid',
    user: { ...AS, 'as-uid': 'u-1' },
    sends: { headers: { 'impersonate-user': 'ada', 'impersonate-uid': 'u-1' } },
  },
  {
    field: 'user.as-groups',
    user: { ...AS, 'as-groups': ['devs', 'ops, east'] },
    sends: { headers: { 'impersonate-user': 'ada', 'impersonate-group': ['devs', 'ops, east'] } },
  },
  {
    field: 'user.as-user-extra',
    user: { ...AS, 'as-user-extra': { 'acme.com/Scopes': ['view', 'edit'] } },
    sends: {
      headers: { 'impersonate-user': 'ada', 'impersonate-extra-acme.com%2Fscopes': ['view', 'edit'] },
    },
  },
  ...['as-uid', 'as-groups', 'as-user-extra'].map((name) => ({
    field: `user.${name}`,
    what: 'needs as',
    user: { [name]: name === 'as-uid' ? 'u' : name === 'as-groups' ? ['g'] : { a: ['b'] } },
    refuses: new RegExp(`${name} has no effect without as. Add as`),
  })),
  {
    field: 'user.username',
    user: { username: 'ada' },
    sends: { headers: { authorization: `Basic ${b64('ada:')}` } },
  },
  {
    field: 'user.password',
    user: { username: 'ada', password: 'pä' },
    sends: { headers: { authorization: `Basic ${Buffer.from('ada:pä').toString('base64')}` } },
  },
  { field: 'user.extensions', user: { extensions: [{ name: 'a', extension: {} }] }, sends: NOTHING },
  ...['oidc', 'gcp', 'azure'].map((name) => {
    const tokens = {
      'id-token': b64('not a JWT'),
      'access-token': 'abc',
      expiry: '2999-01-01T00:00:00Z',
      'expires-on': '32472144000',
    };
    return {
      field: 'user.auth-provider',
      what: `is ${name}`,
      user: { 'auth-provider': { name, config: tokens } },
      ...(name !== 'oidc' && { sends: bearer('abc') }),
    };
  }),
  {
    field: 'user.auth-provider',
    what: 'must be known',
    user: { 'auth-provider': { name: 'openstack', config: {} } },
    refuses: /auth-provider "openstack" is not supported. Use an exec plugin or a token/,
  },
  {
    field: 'user.exec.command',
    what: 'is relative to the kubeconfig',
    ...plugin({}),
    sends: bearer('args= x= cluster='),
  },
  { field: 'user.exec.args', ...plugin({ args: ['one'] }), sends: bearer('args=one x= cluster=') },
  {
    field: 'user.exec.env',
    ...plugin({ env: [{ name: 'X', value: '1' }] }),
    sends: bearer('args= x=1 cluster='),
  },
  {
    field: 'user.exec.provideClusterInfo',
    ...plugin(
      { provideClusterInfo: true },
      { extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }] },
    ),
    sends: bearer('args= x= cluster={"server":"https://c.test","config":{"audience":"a"}}'),
  },
  {
    field: 'user.exec.apiVersion',
    ...plugin({ apiVersion: 'client.authentication.k8s.io/v1beta1' }),
    sends: bearer('args= x= cluster='),
  },
  {
    field: 'user.exec.apiVersion',
    what: 'must be current',
    ...plugin({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    refuses: /v1alpha1" is not supported. Update the plugin/,
  },
  {
    field: 'user.exec.interactiveMode',
    ...plugin({ interactiveMode: 'IfAvailable' }),
    sends: bearer('args= x= cluster='),
  },
  {
    field: 'user.exec.interactiveMode',
    what: 'must not need a terminal',
    ...plugin({ interactiveMode: 'Always' }),
    refuses: /needs a terminal.*Use IfAvailable or Never/,
  },
  {
    field: 'user.exec.installHint',
    ...plugin({ command: 'zipjobs-no-such-plugin', installHint: 'Install it from acme.test' }),
    refuses: /zipjobs-no-such-plugin .*its program was not found. Install it from acme.test/,
  },
];

/** Every field of the types in k8s.io/client-go/tools/clientcmd/api/v1 and its ExecConfig. */
const ALL_FIELDS =
  `apiVersion kind preferences extensions current-context clusters[].name contexts[].name users[].name
  cluster.server cluster.tls-server-name cluster.insecure-skip-tls-verify cluster.certificate-authority
  cluster.certificate-authority-data cluster.proxy-url cluster.disable-compression cluster.extensions
  context.cluster context.user context.namespace context.extensions
  user.client-certificate user.client-certificate-data user.client-key user.client-key-data user.token user.tokenFile
  user.as user.as-uid user.as-groups user.as-user-extra user.username user.password user.auth-provider user.extensions
  user.exec.command user.exec.args user.exec.env user.exec.apiVersion user.exec.installHint
  user.exec.provideClusterInfo user.exec.interactiveMode`.split(/\s+/);

const PROGRAM = `#!${process.execPath}
const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const token = ['args=' + process.argv.slice(2), 'x=' + (process.env.X ?? ''), 'cluster=' + (JSON.stringify(spec.cluster) ?? '')].join(' ');
console.log(JSON.stringify({ kind: 'ExecCredential', status: { token } }));
`;

describe('the fields of kubeconfig v1', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kubeconfig-fields-'));
    await writeFile(join(dir, 'file'), 'of-file');
    await writeFile(join(dir, 'plugin'), PROGRAM);
    await chmod(join(dir, 'plugin'), 0o755);
  });
  after(() => rm(dir, { recursive: true }));

  async function sent({ top, cluster, context, user }: Case): Promise<Required<Sent>> {
    const file = join(dir, 'config');
    const config = {
      'current-context': 'here',
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', ...context } }],
      clusters: [
        { name: 'c', cluster: { server: 'https://c.test', ...cluster } },
        { name: 'second', cluster: { server: 'https://second.test' } },
      ],
      users: [
        { name: 'u', user: user ?? {} },
        { name: 'second', user: { token: 'of-second' } },
      ],
      ...top,
    };
    await writeFile(file, JSON.stringify(config));
    const access = accessOfKubeconfig({ files: [file] });
    const { headers, tls } = await access.credentials();
    const texts = Object.entries(tls).map(
      ([name, value]) => [name, Buffer.isBuffer(value) ? value.toString() : value] as const,
    );
    return {
      server: access.server,
      namespace: access.namespace ?? '',
      headers,
      tls: Object.fromEntries<unknown>(texts),
    };
  }

  it('are all in this table (X46)', () => {
    const tested = new Set(CASES.map(({ field }) => field));
    expect(ALL_FIELDS.filter((field) => !tested.has(field))).to.deep.equal([]);
  });

  for (const one of CASES)
    it(`${one.refuses ? 'refuse' : 'support'} ${one.field}${one.what === undefined ? '' : `, which ${one.what}`} (X46)`, async () => {
      const result = await sent(one).catch((error: unknown) => error);
      if (one.refuses) {
        expect(result).to.be.instanceOf(ConfigError);
        expect(String(result)).to.match(one.refuses);
        return;
      }
      expect(result).not.to.be.instanceOf(Error);
      expect(result).to.deep.include(one.sends ?? {});
    });
});
