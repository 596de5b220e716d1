/** The parts of a Pod that the node agent reads and writes, as JSON: times are text. */
export interface Pod {
  readonly metadata: PodMeta;
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export interface PodList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Pod[];
}

export interface PodMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly serviceAccountName?: string;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly resources?: Resources;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
}

export interface Resources {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests?: Readonly<Record<string, string>>;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: FieldRef;
    readonly resourceFieldRef?: ResourceFieldRef;
    readonly secretKeyRef?: KeyRef;
    readonly configMapKeyRef?: KeyRef;
  };
}

export interface EnvFrom {
  readonly prefix?: string;
  readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean };
}

export interface FieldRef {
  readonly fieldPath: string;
}

export interface ResourceFieldRef {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string;
}

export interface KeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
}

export interface Probe {
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number | string;
    readonly host?: string;
    readonly scheme?: string;
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly port: number | string; readonly host?: string };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
  readonly successThreshold?: number;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

export interface DownwardItem {
  readonly path: string;
  readonly mode?: number;
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
}

export interface VolumeSource {
  readonly optional?: boolean;
  readonly items?: readonly KeyToPath[];
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly secret?: VolumeSource & { readonly secretName: string; readonly defaultMode?: number };
  readonly configMap?: VolumeSource & { readonly name: string; readonly defaultMode?: number };
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[]; readonly defaultMode?: number };
  readonly projected?: { readonly sources?: readonly ProjectedSource[]; readonly defaultMode?: number };
}

export interface ProjectedSource {
  readonly secret?: (VolumeSource & { readonly name: string }) | undefined;
  readonly configMap?: (VolumeSource & { readonly name: string }) | undefined;
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[] } | undefined;
  readonly serviceAccountToken?: {
    readonly audience?: string;
    readonly expirationSeconds?: number;
    readonly path: string;
  };
}

export interface PodStatus {
  readonly phase?: PodPhase;
  readonly podIP?: string;
  readonly conditions?: readonly PodCondition[];
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Exactly one field is set, as in the API. */
export interface ContainerState {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: ContainerTermination;
}

export interface ContainerTermination {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly containerID: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly containerID?: string;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restartCount: number;
  readonly state: ContainerState;
  readonly lastState: ContainerState;
}

export interface KubeSecret {
  readonly immutable?: boolean;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
}

export interface KubeConfigMap {
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

export function conditionStatus(pod: Pod, type: string): string | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type)?.status;
}
