import type { ImageTable } from '../images.ts';
import { expand } from './environment.ts';
import { type PathRule, realPathOf, rewritePath } from './mounts.ts';
import type { Container } from './pod-types.ts';

const SERVICE_ACCOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const DEFAULT_TERMINATION_PATH = '/dev/termination-log';

/** Why a container cannot run here, with the reasons of a kubelet. */
export type Refusal = { readonly reason: 'ErrImagePull' | 'CreateContainerError'; readonly message: string };

export interface ContainerPaths {
  readonly rules: readonly PathRule[];
  /** Real path of the termination message file. */
  readonly terminationPath: string;
  /** The container's home folder, also used for temporary files unless it mounts /tmp. */
  readonly home: string;
  /** Folder of Node's compile cache. Our images contain their own. */
  readonly compileCache: string;
}

/** Program and arguments of a container, or why it cannot run. */
export function containerCommand(
  container: Container,
  images: ImageTable,
  at: { readonly env: Readonly<Record<string, string>>; readonly rules: readonly PathRule[] },
): { readonly command: readonly string[] } | { readonly refusal: Refusal } {
  const entryPoint = images.entryPointOf(container.image);
  if (entryPoint === undefined) {
    const message = `the local node has no script for the image "${container.image}"`;
    return { refusal: { reason: 'ErrImagePull', message } };
  }
  function words(list: readonly string[] = []): string[] {
    return list.map((word) => rewritePath(expand(word, at.env), at.rules));
  }
  const [program, ...options] = words(container.command);
  if (program === undefined) return { command: [process.execPath, ...entryPoint, ...words(container.args)] };
  if (program === 'node') return { command: [process.execPath, ...options, ...words(container.args)] };
  const message = `the local node runs Node only; the command of ${container.name} is ${program}`;
  return { refusal: { reason: 'CreateContainerError', message } };
}

/** The env of the image, the env of every process of the node, and the container's own env with real paths: later ones win. */
export function containerEnv(
  container: Container,
  own: Readonly<Record<string, string>>,
  at: ContainerPaths & {
    readonly imageEnv: Readonly<Record<string, string>>;
    readonly apiServerUrl: string;
    readonly podIP: string;
  },
): Record<string, string> {
  const { hostname, port } = new URL(at.apiServerUrl);
  const terminationInside = container.terminationMessagePath ?? DEFAULT_TERMINATION_PATH;
  const rules = [{ inside: terminationInside, real: at.terminationPath }, ...at.rules];
  const rewritten = Object.entries(own).map(([name, value]) => [name, rewritePath(value, rules)] as const);
  const serviceAccount = realPathOf(SERVICE_ACCOUNT_PATH, at.rules);
  return {
    ...at.imageEnv,
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: at.home,
    TMPDIR: realPathOf('/tmp', at.rules) ?? at.home,
    NODE_COMPILE_CACHE: at.compileCache,
    // Pods share the network of this machine, so that a pod must listen on its own address only.
    HOST: at.podIP,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    KUBERNETES_SERVICE_PORT_HTTPS: port,
    ...Object.fromEntries(rewritten),
    ZIPJOBS_TERMINATION_LOG: at.terminationPath,
    ...(serviceAccount === undefined ? {} : { ZIPJOBS_SERVICEACCOUNT_DIR: serviceAccount }),
  };
}
