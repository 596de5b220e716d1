/**
 * Kueue with the objects of its own chart. It runs as a process outside of the cluster, with the service account of its chart: the
 * local cluster routes no Services, so its webhooks have URLs.
 */
import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { ensureBinaries, ensureProgram } from '#tools/local-cluster/binaries.ts';
import { ClusterError } from '#tools/local-cluster/cluster-error.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { KUEUE_PROGRAM } from '#tools/local-cluster/go-programs.ts';
import { ServerProcess } from '#tools/local-cluster/server-process.ts';
import { requirePrograms, skipTests } from '../processes/require-programs.ts';

const run = promisify(execFile);
const MODULE = 'sigs.k8s.io/kueue';
const NAMESPACE = 'kueue-system';
const SECRET = 'kueue-webhook-server-cert';
const SERVICE = 'kueue-webhook-service';
/** Everything but its Deployment, and the API of a server that it does not start. */
const KINDS = [
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'Role',
  'RoleBinding',
  'Secret',
  'ServiceAccount',
  'ValidatingWebhookConfiguration',
];
const READY_LIMIT_MS = 60_000;

export interface KueueSettings {
  readonly manageJobsWithoutQueueName: boolean;
}

export interface Kueue extends AsyncDisposable {
  /** Starts it again with these settings. */
  restart(settings: KueueSettings): Promise<void>;
}

interface ChartObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface Place {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly webhookPort: number;
  readonly healthPort: number;
  /** The only namespace whose Jobs it manages. */
  readonly namespace: string;
}

/**
 * The rotator of Kueue makes certificates without addresses, and mounts them in its pod. It keeps this one, which is its own authority,
 * and gives it to the API server as the authority of the webhooks.
 */
async function makeCertificate(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = ['DNS:kueue-ca', `DNS:${SERVICE}.${NAMESPACE}.svc`, 'IP:127.0.0.1'];
  const [key, certificate] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  const request = 'req -x509 -newkey rsa:2048 -nodes -days 365 -subj /O=kueue/CN=kueue-ca'.split(' ');
  const extension = `subjectAltName=${names.join(',')}`;
  await run('openssl', [...request, '-addext', extension, '-keyout', key, '-out', certificate]);
  const [keyText, text] = await Promise.all([readFile(key, 'utf8'), readFile(certificate, 'utf8')]);
  // The rotator reads no other form of the key of an authority.
  const authorityKey = createPrivateKey(keyText).export({ type: 'pkcs1', format: 'pem' });
  return { 'ca.crt': text, 'ca.key': String(authorityKey), 'tls.crt': text, 'tls.key': keyText };
}

/** The folder of the module in Go's cache, whose version go.mod names. */
async function moduleFolder(): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', MODULE], { cwd: KUEUE_PROGRAM.folder });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}

function configuration({ folder, webhookPort, healthPort, namespace }: Place, settings: KueueSettings) {
  return {
    apiVersion: 'config.kueue.x-k8s.io/v1beta2',
    kind: 'Configuration',
    namespace: NAMESPACE,
    health: { healthProbeBindAddress: `127.0.0.1:${healthPort}` },
    metrics: { bindAddress: '0' },
    webhook: { host: '127.0.0.1', port: webhookPort, certDir: folder },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: true, webhookServiceName: SERVICE, webhookSecretName: SECRET },
    featureGates: { VisibilityOnDemand: false },
    integrations: { frameworks: ['batch/job'] },
    managedJobsNamespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    ...settings,
  };
}

/** `service` of a webhook or a conversion as an address of this machine. */
function withAddress(text: string, port: number): string {
  return text.replaceAll(
    /"service":\{"name":"[^"]*","namespace":"[^"]*","path":"([^"]*)"\}/g,
    (_, path: string) => `"url":"https://127.0.0.1:${port}${path}"`,
  );
}

async function chartObjects(place: Place, certificate: Readonly<Record<string, string>>): Promise<string> {
  const chart = join(await moduleFolder(), 'charts', 'kueue');
  const config = configuration(place, { manageJobsWithoutQueueName: false });
  const values = { managerConfig: { controllerManagerConfigYaml: JSON.stringify(config) } };
  const { stdout } = await place.cluster.helm(
    ['template', 'kueue', chart, '--namespace', NAMESPACE, '--values', '-'],
    { input: JSON.stringify(values) },
  );
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as ChartObject | null);
  const kept = objects.filter((object) => object !== null && KINDS.includes(object.kind));
  const complete = kept.map((object) =>
    object?.kind === 'Secret' && object.metadata.name === SECRET
      ? { ...object, stringData: certificate }
      : object,
  );
  return withAddress(complete.map((object) => JSON.stringify(object)).join('\n'), place.webhookPort);
}

async function untilEstablished({ cluster }: Place): Promise<void> {
  const { stdout } = await cluster.kubectl(['get', 'crd', '-o', 'name']);
  const names = stdout.split('\n').filter((name) => name.endsWith('.kueue.x-k8s.io'));
  await cluster.kubectl(['wait', ...names, '--for=condition=Established', '--timeout=60s']);
}

async function startProcess(
  place: Place,
  kubeconfig: string,
  settings: KueueSettings,
): Promise<ServerProcess> {
  function log(line: string): void {
    process.stderr.write(`${line}\n`);
  }
  const [{ cluster: launcher }, binary] = await Promise.all([
    ensureBinaries(log),
    ensureProgram(KUEUE_PROGRAM, log),
  ]);
  const config = join(place.folder, 'config.json');
  await writeFile(config, JSON.stringify(configuration(place, settings)));
  const started = await ServerProcess.start({
    name: 'kueue',
    launcher,
    command: [binary, '--config', config],
    logPath: join(place.cluster.dir, 'logs', 'kueue.log'),
    env: { KUBECONFIG: kubeconfig },
  });
  try {
    await started.ready(
      async () => (await fetch(`http://127.0.0.1:${place.healthPort}/readyz`)).ok,
      READY_LIMIT_MS,
    );
  } catch (error) {
    await started.kill();
    throw error;
  }
  return started;
}

/** What would refuse the Jobs of later tests while Kueue does not run. */
async function removeObjects({ cluster }: Place): Promise<void> {
  for (const kind of ['mutating', 'validating'])
    await cluster.kubectl(['delete', `${kind}webhookconfiguration`, `kueue-${kind}-webhook-configuration`]);
}

/** Installs and starts it for the Jobs of one namespace. Skips the tests without a way to build it. */
export async function startKueue(
  context: Mocha.Context,
  cluster: Cluster,
  namespace: string,
): Promise<Kueue> {
  await requirePrograms(context, ['go', 'openssl']);
  const folder = join(cluster.dir, 'kueue');
  await mkdir(folder, { recursive: true });
  const [webhookPort = 0, healthPort = 0] = await freePorts(2);
  const place = { cluster, folder, webhookPort, healthPort, namespace };
  // Before anything is installed: the first start on a machine builds it, which takes minutes.
  try {
    await ensureProgram(KUEUE_PROGRAM, (line) => process.stderr.write(`${line}\n`));
  } catch (error) {
    if (error instanceof ClusterError) skipTests(context, error.message);
    throw error;
  }
  await cluster.kubectl(['create', 'namespace', NAMESPACE]);
  await cluster.kubectl(['create', '-f', '-'], {
    input: await chartObjects(place, await makeCertificate(folder)),
  });
  await untilEstablished(place);
  const account = ['create', 'token', 'kueue-controller-manager', '-n', NAMESPACE, '--duration=24h'];
  const token = (await cluster.kubectl(account)).stdout.trim();
  const kubeconfig = await cluster.kubeconfigFor({ token });
  let running = await startProcess(place, kubeconfig, { manageJobsWithoutQueueName: false });
  return {
    restart: async (settings) => {
      await running.kill();
      running = await startProcess(place, kubeconfig, settings);
    },
    [Symbol.asyncDispose]: async () => {
      await removeObjects(place);
      await running.kill();
    },
  };
}
