import type { TrustedIssuer } from './control-plane.ts';
import type { NodeAgent } from './node-agent/node-agent.ts';
import type { Pod } from './node-agent/pod-types.ts';

/** A whole object for the API server. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  /** Default namespace: `default`. */
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export type Log = (line: string) => void;

/** The result of a command line tool. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface CommandOptions {
  /** Text for standard input, such as manifests for `apply -f -`. */
  readonly input?: string;
  /** Path of another kubeconfig. Default: cluster-admin. */
  readonly kubeconfig?: string;
  /** Return the result even if the exit code is not 0. By default that throws. */
  readonly allowFailure?: boolean;
}

/** A user of a kubeconfig: authenticated by a token, or by a certificate of the cluster's CA. */
export type ClusterUser =
  | { readonly token: string }
  | { readonly commonName: string; readonly organizations?: readonly string[] };

/** An additional node. */
export interface AddedNode {
  readonly agent: NodeAgent;
  /** Kills its pods and deletes the Node object, like a machine that is gone for good. */
  remove(): Promise<void>;
}

export interface ClusterOptions {
  /** Folder of the cluster. Default: a new folder under the system's temporary folder. */
  readonly dir?: string;
  /** Keeps the folder when the cluster stops. */
  readonly keep?: boolean;
  /** Stops the cluster on SIGINT and SIGTERM. Default: true. */
  readonly endOnSignals?: boolean;
  readonly log?: Log;
  /** Additional images: name without tag -> script that Node runs. */
  readonly images?: Readonly<Record<string, string>>;
  /** Additional flags for kube-apiserver, such as `--oidc-issuer-url=...`. */
  readonly apiServerFlags?: readonly string[];
  /** Memory limit of kube-apiserver in GiB. It needs 1 GiB with 10,000 ZipJobs, and becomes slow close to its limit. Default: 2. */
  readonly apiServerMemoryGib?: number;
  /** Milliseconds after which a Job replaces its first failed pod; it doubles for each further one. Default: 10 s, as in Kubernetes. */
  readonly jobBackoffMs?: number;
  /** Base URL of the API server for a pod, such as the URL of a proxy. Undefined: the server's own. */
  readonly apiServerUrlFor?: (pod: Pod) => string | undefined;
  /** Additional env for the processes of a pod; overrides their own. */
  readonly extraEnvFor?: (pod: Pod) => Readonly<Record<string, string>>;
  /** Milliseconds by which the clock of the node is ahead in the status of a pod; negative: behind. Default: 0. */
  readonly clockAheadMsFor?: (pod: Pod) => number;
}

/** A running control plane and S3 server. */
export interface NodelessCluster extends AsyncDisposable {
  /** Folder with all files of the cluster. `bin` in it contains kubectl and helm for a shell. */
  readonly dir: string;
  /** Kubeconfig of a cluster-admin. */
  readonly kubeconfigPath: string;
  readonly apiServer: { readonly url: string; readonly caPath: string; readonly ca: string };
  readonly store: StoreAccess;
  /**
   * Reads an object or a list as cluster-admin, by its path on the API server. For tests that poll: a call takes a
   * millisecond, and kubectl takes 150 ms of CPU time.
   * @throws KubeApiError for an error status
   */
  read<T>(path: string): Promise<T>;
  /** Posts an object as cluster-admin, by the path of its collection. @throws KubeApiError for an error status */
  create<T>(path: string, body: unknown): Promise<T>;
  /**
   * Creates or changes objects one after another as cluster-admin, like `kubectl apply --server-side --force-conflicts`,
   * which takes 200 ms of CPU time more.
   * @throws KubeApiError for an error status
   */
  apply(objects: readonly Manifest[]): Promise<void>;
  /** @throws ClusterError with the output of the command if it fails and `allowFailure` is not set */
  kubectl(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** @throws ClusterError with the output of the command if it fails and `allowFailure` is not set */
  helm(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Address of a ready pod with these labels (`a=b,c=d`); waits up to a minute, or until the signal. */
  readyPodAddress(namespace: string, labelSelector: string, signal?: AbortSignal): Promise<string>;
  /** Writes a kubeconfig for this user and returns its path. */
  kubeconfigFor(user: ClusterUser): Promise<string>;
  createBucket(name: string): Promise<void>;
  /** Kills the API server and starts it again on the same address. Resolves when it is ready. */
  restartApiServer(): Promise<void>;
  /** Pauses the controllers of Kubernetes, such as that of Jobs, until the returned value is disposed of. */
  pauseControllers(): Disposable;
  /** Accepts ID tokens of this issuer too, after a moment. User and group names get the prefix `oidc:`. */
  trustIssuer(issuer: TrustedIssuer): Promise<void>;
  /** Removes all versions except the newest of each object from etcd. */
  compactEtcd(): Promise<void>;
  /**
   * Copies the data of etcd, which is down meanwhile. The returned function restores them once: it stops the API server and etcd,
   * and starts them with the copy.
   */
  snapshotEtcd(): Promise<() => Promise<void>>;
}

/** A running local cluster: a control plane, and a node whose pods are local processes. */
export interface Cluster extends NodelessCluster {
  readonly node: NodeAgent;
  /**
   * Adds a node that can be lost or removed independently of the first one. It stops with the cluster at the latest.
   */
  addNode(name: string): Promise<AddedNode>;
}

/** Address and owner credentials of the S3 server. */
export interface StoreAccess {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** PEM of the private authority that signed its certificate, if it speaks HTTPS. */
  readonly authority?: string;
}
