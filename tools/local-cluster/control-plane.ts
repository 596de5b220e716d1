import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compactEtcd } from './compact-etcd.ts';
import { apiServerFlags, controllerManagerFlags, etcdFlags, schedulerFlags } from './control-plane-flags.ts';
import { freePorts } from './free-ports.ts';
import { KubeApi } from './kube-api.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { chosenKubernetes, minorNumber } from './kubernetes-versions.ts';
import { ServerProcess } from './server-process.ts';

export interface ControlPlaneOptions {
  readonly dir: string;
  /** The cluster program. */
  readonly binary: string;
  readonly apiServerFlags: readonly string[];
  /** GiB, at which the API server starts to collect garbage all the time. */
  readonly apiServerMemoryGib: number;
  /** How long a Job waits before it replaces its first failed pod, and twice as long before each further one. */
  readonly jobBackoffMs: number;
  /** Called with each process when it starts, so that a failed start can stop it. */
  readonly onProcess: (process: ServerProcess) => void;
}

/** The address of the API server, and the folder with the certificates. */
export interface ControlPlane {
  readonly url: string;
  readonly certificates: string;
  readonly caPath: string;
  readonly adminKubeconfigPath: string;
  /** A client that authenticates with a certificate from `certificates`. */
  clientOf(name: string): Promise<KubeApi>;
  /** Kills the API server and starts it again on the same address. Resolves when it is ready. */
  restartApiServer(): Promise<void>;
  /** Pauses the controllers of Kubernetes, such as that of Jobs, until the returned value is disposed of. */
  pauseControllers(): Disposable;
  /** Accepts ID tokens of this issuer too. User and group names get the prefix `oidc:`. */
  trustIssuer(issuer: TrustedIssuer): Promise<void>;
  /** Removes all versions except the newest of each object from etcd. */
  compactEtcd(): Promise<void>;
  /**
   * Copies the data of etcd, which is down meanwhile. The returned function restores them: it stops the API server and etcd, and
   * starts them with the copy. Resolves when the API server is ready.
   */
  snapshotEtcd(): Promise<() => Promise<void>>;
}

/** The issuer of ID tokens, its audience and its CA. */
export interface TrustedIssuer {
  readonly url: string;
  readonly clientId: string;
  readonly ca: string;
}

const READY_LIMIT_MS = 120_000;
const run = promisify(execFile);

/** Garbage collection took a fifth of the API server's CPU time, so it gets more memory instead. */
function memoryVariables(gib: number) {
  return { GOGC: '300', GOMEMLIMIT: `${gib}GiB` };
}

/** Starts etcd, kube-apiserver and kube-scheduler, and kube-controller-manager once the API server is ready. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const certificates = join(options.dir, 'certificates');
  await mkdir(certificates, { recursive: true });
  const [etcdPort = 0, etcdPeerPort = 0, apiPort = 0] = await freePorts(3);
  function start(name: string, flags: readonly string[], env = {}): Promise<ServerProcess> {
    return startPart(options, { name, flags, env });
  }
  function startEtcd(): Promise<ServerProcess> {
    return start('etcd', etcdFlags(options.dir, etcdPort, etcdPeerPort));
  }
  const startedEtcd = startEtcd();
  const made = run(options.binary, ['certs', certificates]);
  await Promise.all([
    startedEtcd,
    made,
    writeEncryptionConfiguration(options.dir),
    writeAuthenticationConfiguration(options.dir),
  ]);

  const url = `https://127.0.0.1:${apiPort}`;
  const flags = [
    ...apiServerFlags({ dir: options.dir, certificates, apiPort, etcdPort }),
    ...options.apiServerFlags,
  ];
  function startApiServer(): Promise<ServerProcess> {
    return start('kube-apiserver', flags, memoryVariables(options.apiServerMemoryGib));
  }
  let apiServer = await startApiServer();
  const plane = createPlane(url, certificates, options.dir);
  await Promise.all(
    ['admin', 'system:kube-controller-manager', 'system:kube-scheduler'].map((name) =>
      plane.writeConfig(name),
    ),
  );
  // The scheduler waits for the API server, so starting it now saves its startup time.
  await start('kube-scheduler', schedulerFlags(plane.configOf('system:kube-scheduler')));
  async function untilReady(): Promise<void> {
    const admin = await plane.clientOf('admin');
    try {
      await apiServer.ready(() => admin.isReady(), READY_LIMIT_MS);
    } finally {
      await admin.close();
    }
  }
  await untilReady();
  // The controller manager exits if there is no API server within ten seconds, which a busy machine may need.
  const controllers = await start(
    'kube-controller-manager',
    controllerManagerFlags(plane.configOf('system:kube-controller-manager'), {
      certificates,
      jobBackoffMs: options.jobBackoffMs,
    }),
  );
  let etcd = await startedEtcd;
  const [data, copy] = [join(options.dir, 'etcd'), join(options.dir, 'etcd-snapshot')];
  async function restartApiServer(): Promise<void> {
    await apiServer.kill();
    apiServer = await startApiServer();
    await untilReady();
  }
  return {
    ...plane,
    restartApiServer,
    pauseControllers: () => controllers.pause(),
    trustIssuer: (issuer) => writeAuthenticationConfiguration(options.dir, issuer),
    compactEtcd: () => compactEtcd(`http://127.0.0.1:${etcdPort}`),
    snapshotEtcd: async () => {
      await etcd.kill();
      await cp(data, copy, { recursive: true });
      etcd = await startEtcd();
      await untilReady();
      return async () => {
        await Promise.all([apiServer.kill(), etcd.kill()]);
        await rm(data, { recursive: true });
        await rename(copy, data);
        etcd = await startEtcd();
        await restartApiServer();
      };
    },
  };
}

interface Part {
  readonly name: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function startPart(options: ControlPlaneOptions, part: Part): Promise<ServerProcess> {
  const { name, flags, env } = part;
  const process = await ServerProcess.start({
    name,
    launcher: options.binary,
    command: [options.binary, name, ...flags],
    env,
    logPath: join(options.dir, 'logs', `${name}.log`),
  });
  options.onProcess(process);
  return process;
}

function createPlane(
  url: string,
  certificates: string,
  dir: string,
): Omit<
  ControlPlane,
  'restartApiServer' | 'pauseControllers' | 'compactEtcd' | 'snapshotEtcd' | 'trustIssuer'
> &
  PlaneFiles {
  const caPath = join(certificates, 'ca.crt');
  function configOf(name: string): string {
    return join(name === 'admin' ? dir : certificates, `${name}.kubeconfig`);
  }
  function filesOf(name: string): { certificatePath: string; keyPath: string } {
    return {
      certificatePath: join(certificates, `${name}.crt`),
      keyPath: join(certificates, `${name}.key`),
    };
  }
  return {
    url,
    certificates,
    caPath,
    adminKubeconfigPath: configOf('admin'),
    configOf,
    writeConfig: (name) => writeKubeconfig(configOf(name), { url, caPath, user: filesOf(name) }),
    clientOf: async (name) => {
      const { certificatePath, keyPath } = filesOf(name);
      const [ca, cert, key] = await Promise.all(
        [caPath, certificatePath, keyPath].map((path) => readFile(path, 'utf8')),
      );
      return new KubeApi({ url, ca: ca ?? '', cert: cert ?? '', key: key ?? '' });
    },
  };
}

interface PlaneFiles {
  configOf(name: string): string;
  writeConfig(name: string): Promise<void>;
}

/** Secrets are stored encrypted, as in a production cluster. */
async function writeEncryptionConfiguration(dir: string): Promise<void> {
  const key = { name: 'local', secret: randomBytes(32).toString('base64') };
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources: ['secrets'], providers: [{ secretbox: { keys: [key] } }, { identity: {} }] }],
  };
  await writeFile(join(dir, 'encryption.json'), JSON.stringify(configuration), { mode: 0o600 });
}

/** The API server reloads the file when it changes. */
async function writeAuthenticationConfiguration(dir: string, issuer?: TrustedIssuer): Promise<void> {
  function mapping(claim: string) {
    return { claim, prefix: 'oidc:' };
  }
  const authenticator = issuer && {
    issuer: { url: issuer.url, audiences: [issuer.clientId], certificateAuthority: issuer.ca },
    claimMappings: { username: mapping('sub'), groups: mapping('groups') },
  };
  const isBeta = minorNumber(chosenKubernetes().version) < 34;
  const configuration = {
    apiVersion: `apiserver.config.k8s.io/${isBeta ? 'v1beta1' : 'v1'}`,
    kind: 'AuthenticationConfiguration',
    jwt: authenticator === undefined ? [] : [authenticator],
  };
  const path = join(dir, 'authentication.json');
  await writeFile(`${path}.new`, JSON.stringify(configuration));
  // The API server would reject an incomplete file and reload it only after a while.
  await rename(`${path}.new`, path);
}
