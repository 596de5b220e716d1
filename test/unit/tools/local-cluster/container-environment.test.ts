import { expect } from 'chai';
import { createImageTable } from '#tools/local-cluster/images.ts';
import { containerCommand, containerEnv } from '#tools/local-cluster/node-agent/container-command.ts';
import { fieldValue, resourceValue } from '#tools/local-cluster/node-agent/downward-api.ts';
import {
  type ConfigSource,
  expand,
  resolveEnvironment,
} from '#tools/local-cluster/node-agent/environment.ts';
import { pathRules, rewritePath } from '#tools/local-cluster/node-agent/mounts.ts';
import type { Container, Pod } from '#tools/local-cluster/node-agent/pod-types.ts';
import { parseQuantity } from '#tools/local-cluster/node-agent/quantity.ts';

const container: Container = {
  name: 'main',
  image: 'registry:5000/team/zipjobs-zipper:1@sha256:00',
  args: ['--config', '/etc/app/config.yaml', '$(MODE)'],
  volumeMounts: [
    { name: 'app', mountPath: '/etc/app/' },
    { name: 'inner', mountPath: '/etc/app/inner', subPath: 'deep' },
    { name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
  ],
};
const rules = pathRules(container, (volume) => `/real/${volume}`);
const pod: Pod = {
  metadata: {
    name: 'p',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '1',
    labels: { b: 'two "words"', a: '1' },
    annotations: { "it's": 'kept' },
  },
  spec: { containers: [container] },
};
const view = { pod, podIP: '127.64.0.1', hostIP: '127.0.0.1', nodeName: 'local' };
const source: ConfigSource = {
  secret: async (_, name) => (name === 's' ? { key: Buffer.from('hidden') } : undefined),
  configMap: async (_, name) => (name === 'c' ? { A: Buffer.from('1') } : undefined),
};

describe('rewritePath', () => {
  it('replaces the longest matching mount path, matching whole segments only', () => {
    const rewritten = ['/etc/app', '/etc/app/x', '/etc/app/inner/y', '/etc/application', 'see /etc/app'];
    expect(rewritten.map((path) => rewritePath(path, rules))).to.deep.equal([
      '/real/app',
      '/real/app/x',
      '/real/inner/deep/y',
      '/etc/application',
      'see /etc/app',
    ]);
  });
});

describe('expand', () => {
  it('replaces known names, keeps unknown ones and reads $$ as a dollar sign', () => {
    expect(expand('$(A)-$(B)-$$(A)', { A: '1' })).to.equal('1-$(B)-$(A)');
  });
});

describe('parseQuantity', () => {
  it('reads Kubernetes units', () => {
    expect(['500m', '1Gi', '2k', '1.5'].map(parseQuantity)).to.deep.equal([0.5, 2 ** 30, 2000, 1.5]);
  });
});

describe('fieldValue and resourceValue', () => {
  it('describe the pod', () => {
    expect(fieldValue("metadata.annotations['it's']", view)).to.equal('kept');
    expect(fieldValue("metadata.labels['none']", view)).to.equal('');
    expect(fieldValue('metadata.labels', view)).to.equal('a="1"\nb="two \\"words\\""');
    expect(fieldValue('status.podIP', view)).to.equal('127.64.0.1');
    const limited = { ...container, resources: { limits: { memory: '100Mi', cpu: '250m' } } };
    expect(resourceValue({ resource: 'limits.memory', divisor: '1Mi' }, [], limited)).to.equal('100');
    expect(resourceValue({ resource: 'limits.cpu' }, [], limited)).to.equal('1');
  });
});

describe('resolveEnvironment', () => {
  it('reads literals, fields, Secrets and ConfigMaps in order', async () => {
    const env = [
      { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'GREETING', value: 'hello $(NAME), $(C_A)' },
      { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'key' } } },
      { name: 'ABSENT', valueFrom: { secretKeyRef: { name: 'none', key: 'key', optional: true } } },
    ];
    const envFrom = [{ prefix: 'C_', configMapRef: { name: 'c' } }];
    const resolved = await resolveEnvironment({ ...container, env, envFrom }, view, source);
    expect(resolved).to.deep.equal({ C_A: '1', NAME: 'p', GREETING: 'hello p, 1', SECRET: 'hidden' });
  });

  it('names the missing key', async () => {
    const env = [{ name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'other' } } }];
    const error: unknown = await resolveEnvironment({ ...container, env }, view, source).catch(
      (e: unknown) => e,
    );
    expect(String(error)).to.contain("couldn't find key other in secret n/s");
  });
});

describe('containerCommand', () => {
  const images = createImageTable({});
  const at = { env: { MODE: 'fast' }, rules };

  it('runs the script of an image from any registry with the rewritten arguments', () => {
    const choice = containerCommand(container, images, at);
    const command = 'command' in choice ? choice.command : [];
    expect(command[1]).to.match(/zipper-image\/main\.ts$/);
    expect(command.slice(2)).to.deep.equal(['--config', '/real/app/config.yaml', 'fast']);
  });

  it('refuses an unknown image, and a command that is not node', () => {
    const unknown = containerCommand({ ...container, image: 'other' }, images, at);
    expect(unknown).to.have.nested.property('refusal.reason', 'ErrImagePull');
    const shell = containerCommand({ ...container, command: ['sh', '-c', 'true'] }, images, at);
    expect(shell).to.have.nested.property('refusal.reason', 'CreateContainerError');
  });
});

describe('containerEnv', () => {
  it('contains the variables of the image, below those of the node and of the container', () => {
    const imageEnv = createImageTable({}).environmentOf(container.image);
    expect(imageEnv['NODE_OPTIONS']).to.match(/^--max-semi-space-size=\d+$/);
    const paths = {
      rules,
      terminationPath: '/real/message',
      home: '/real/home',
      compileCache: '/real/cache',
    };
    const at = { ...paths, imageEnv, apiServerUrl: 'https://127.0.0.1:6443', podIP: '127.64.0.1' };
    expect(containerEnv(container, {}, at)).to.include({
      NODE_OPTIONS: imageEnv['NODE_OPTIONS'],
      NODE_COMPILE_CACHE: '/real/cache',
    });
    expect(containerEnv(container, { NODE_OPTIONS: '--trace-uncaught' }, at)).to.include({
      NODE_OPTIONS: '--trace-uncaught',
    });
    expect(createImageTable({ other: 'a.ts' }).environmentOf('other')).to.deep.equal({});
  });

  it('rewrites paths, sets the address of the pod and the locations of token and termination message, and hides its own environment', () => {
    const own = { CONFIG: '/etc/app/x', LOG: '/dev/termination-log' };
    const paths = {
      rules,
      terminationPath: '/real/message',
      home: '/real/home',
      compileCache: '/real/cache',
    };
    const at = { ...paths, imageEnv: {}, apiServerUrl: 'https://127.0.0.1:6443', podIP: '127.64.0.1' };
    const env = containerEnv(container, own, at);
    expect(env).to.deep.equal({
      PATH: process.env['PATH'],
      HOME: '/real/home',
      TMPDIR: '/real/home',
      NODE_COMPILE_CACHE: '/real/cache',
      HOST: '127.64.0.1',
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: '6443',
      KUBERNETES_SERVICE_PORT_HTTPS: '6443',
      CONFIG: '/real/app/x',
      LOG: '/real/message',
      ZIPJOBS_TERMINATION_LOG: '/real/message',
      ZIPJOBS_SERVICEACCOUNT_DIR: '/real/token',
    });
  });
});
