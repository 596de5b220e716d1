import type { TrustedIssuer } from './control-plane.ts';
import type { NodeAgent } from './node-agent/node-agent.ts';
import type { Pod } from './node-agent/pod-types.ts';

export type Log = (line: string) => void;

/** What a command line tool answered. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface CommandOptions {
  /** Text for standard input, such as manifests for `apply -f -`. */
  readonly input?: string;
  /** Path of another kubeconfig; without it the command runs as cluster-admin. */
  readonly kubeconfig?: string;
  /** Answer also when the exit code is not 0; otherwise that throws. */
  readonly allowFailure?: boolean;
}

/** A person or program in a kubeconfig: by a token, or by a certificate of the cluster's authority. */
export type ClusterUser =
  | { readonly token: string }
  | { readonly commonName: string; readonly organizations?: readonly string[] };

/** A node beside the first one. */
export interface AddedNode {
  readonly agent: NodeAgent;
  /** Ends its pods at once and takes the Node object away: the machine does not come back. */
  remove(): Promise<void>;
}

export interface ClusterOptions {
  /** The cluster's folder; without it a new one under the system's folder for temporary files. */
  readonly dir?: string;
  /** Keep the folder when the cluster stops. */
  readonly keep?: boolean;
  /** Stop on SIGINT and SIGTERM; default true. */
  readonly endOnSignals?: boolean;
  readonly log?: Log;
  /** More images that the node knows: name without tag -> script that Node runs. */
  readonly images?: Readonly<Record<string, string>>;
  /** More flags for kube-apiserver, such as `--oidc-issuer-url=...`. */
  readonly apiServerFlags?: readonly string[];
  /** Base URL by which a pod is told to reach the API server, such as a proxy's; undefined for the server's own. */
  readonly apiServerUrlFor?: (pod: Pod) => string | undefined;
  /** Env that the processes of a pod get beside, or instead of, their own. */
  readonly extraEnvFor?: (pod: Pod) => Readonly<Record<string, string>>;
}

/** A running local cluster: a real control plane and S3 server, and one node whose pods are local processes. */
export interface Cluster extends AsyncDisposable {
  /** Everything of this cluster lives here; `bin` in it holds kubectl and helm for a shell. */
  readonly dir: string;
  /** Kubeconfig of a cluster-admin. */
  readonly kubeconfigPath: string;
  readonly apiServer: { readonly url: string; readonly caPath: string; readonly ca: string };
  readonly store: StoreAccess;
  readonly node: NodeAgent;
  /** Adds a node that is lost, or removed, apart from the first one. It ends with the cluster if not before. */
  addNode(name: string): Promise<AddedNode>;
  /**
   * Reads an object or a list as cluster-admin, by its path on the API server. For tests that ask often: a call costs a
   * millisecond, one of kubectl 150 of processor time.
   * @throws KubeApiError when the answer is an error status.
   */
  read<T>(path: string): Promise<T>;
  /** @throws ClusterError with what the command printed, when it fails and `allowFailure` is not set. */
  kubectl(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** @throws ClusterError with what the command printed, when it fails and `allowFailure` is not set. */
  helm(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Address of a ready pod with these labels (`a=b,c=d`); waits up to a minute, or until the signal. */
  readyPodAddress(namespace: string, labelSelector: string, signal?: AbortSignal): Promise<string>;
  /** Writes a kubeconfig for this user and returns its path. */
  kubeconfigFor(user: ClusterUser): Promise<string>;
  createBucket(name: string): Promise<void>;
  /** Ends the API server at once and starts it again, on the same address; returns when it is ready. */
  restartApiServer(): Promise<void>;
  /** Lets ID tokens of an issuer sign in too, soon; their names and groups begin with `oidc:`. */
  trustIssuer(issuer: TrustedIssuer): Promise<void>;
  /** Makes etcd forget every version but the newest of each object. */
  compactEtcd(): Promise<void>;
}

/** How to reach the S3 server, as its owner. */
export interface StoreAccess {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}
