import type { Settings } from '#runtime/config/config.ts';
import { parseJson } from '#runtime/config/json-values.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import { UNSUPPORTED_SETTINGS, unsupportedValues } from '#runtime/config/unsupported-settings.ts';
import { ConfigError } from '#runtime/errors.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { type TaskSettings, ZIPPER_SETTINGS } from '#runtime/zip-request/zipper-settings.ts';
import { POD_KEYS } from './zipper-pod.ts';

const DEFAULT_ZIPPER_RESOURCES = JSON.stringify({
  requests: { cpu: '100m', memory: '256Mi', 'ephemeral-storage': '16Mi' },
  limits: { cpu: '2', memory: '512Mi', 'ephemeral-storage': '64Mi' },
});

const DEFAULT_ZIPPER_POD = JSON.stringify({
  labels: {
    'sidecar.istio.io/inject': 'false',
    'istio.io/dataplane-mode': 'none',
    'kuma.io/sidecar-injection': 'disabled',
  },
  annotations: {
    'karpenter.sh/do-not-disrupt': 'true',
    'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    'sidecar.istio.io/inject': 'false',
    'linkerd.io/inject': 'disabled',
    'consul.hashicorp.com/connect-inject': 'false',
  },
  spec: {
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      fsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  },
  containerSecurityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
});

/** Settings of zipper pods. */
export const LAUNCH_SETTINGS = {
  zipperImage: {
    env: 'ZIPPER_IMAGE',
    type: 'string',
    minLength: 1,
    description: 'image of the zipper',
    setBy: 'the chart, from image and zipper.image',
  },
  zipperImagePullPolicy: {
    env: 'ZIPPER_IMAGE_PULL_POLICY',
    type: 'string',
    enum: ['Always', 'IfNotPresent', 'Never'],
    default: 'IfNotPresent',
    description: 'pull policy of the zipper image',
    changeWhen: 'set Always when nodes run an old image of a moved tag',
  },
  zipperImagePullSecrets: {
    env: 'ZIPPER_IMAGE_PULL_SECRETS',
    type: 'array',
    default: [],
    description: "names of the zipper image's pull Secrets in the project namespaces",
    changeWhen: 'set it when zipper pods fail with ImagePullBackOff in the namespaces of projects',
  },
  zipperEnvJson: {
    env: 'ZIPPER_ENV_JSON',
    type: 'string',
    default: '{}',
    description:
      'rules of the zipper for its connections, and its log level: JSON object of environment variables',
    setBy: 'the chart, from logLevel, egress, store and proxy',
  },
  zipperSettingsJson: {
    env: 'ZIPPER_SETTINGS_JSON',
    type: 'string',
    default: '{}',
    description: 'settings of the zipper, for its task: JSON object of names and values',
    setBy: 'the chart, from zipper.settings',
  },
  zipperResourcesJson: {
    env: 'ZIPPER_RESOURCES_JSON',
    type: 'string',
    default: DEFAULT_ZIPPER_RESOURCES,
    description: 'default resources of the zipper container: JSON {requests, limits}',
    keys: ['requests', 'limits'],
    changeWhen:
      'raise the limits when zipper pods are killed for their memory, or jobs are slow at their CPU limit',
  },
  zipperPodJson: {
    env: 'ZIPPER_POD_JSON',
    type: 'string',
    default: DEFAULT_ZIPPER_POD,
    description:
      'metadata and fields of every zipper pod: JSON {labels, annotations, spec, containerSecurityContext}',
    keys: POD_KEYS,
    changeWhen: 'set it when zippers need their own nodes, labels or security context',
  },
  zipperPriorityClassName: {
    env: 'ZIPPER_PRIORITY_CLASS_NAME',
    type: 'string',
    default: '',
    description: 'default priority class of zipper pods',
    changeWhen: 'set it when zipper pods evict others or stay Pending behind them',
  },
  zipperProxySecretsJson: {
    env: 'ZIPPER_PROXY_SECRETS_JSON',
    type: 'string',
    default: '{}',
    description:
      "Secrets in the project namespaces with the keys username and password of the zipper's proxies: JSON object of SOURCE and STORE to name",
    keys: ['SOURCE', 'STORE'],
    changeWhen:
      'set it when jobs fail with SourceProxyAuthenticationRequired or StoreProxyAuthenticationRequired',
  },
  zipperGraceSeconds: {
    env: 'ZIPPER_GRACE_SECONDS',
    type: 'integer',
    minimum: 1,
    default: 30,
    description: 'termination grace period of a zipper pod',
    changeWhen: 'raise it when uploads of deleted pods remain in the bucket',
  },
} as const satisfies Settings;

/**
 * The settings of each task, by field: only those that are set, because every task is stored.
 * @throws ConfigError for an unknown or invalid one
 */
export function readTaskSettings(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): TaskSettings {
  const { env: name } = LAUNCH_SETTINGS.zipperSettingsJson;
  const given = parseJson(name, text);
  if (!isRecord(given)) throw new ConfigError(`${name} must be a JSON object`);
  const fields = Object.entries(ZIPPER_SETTINGS).filter(([, setting]) => Object.hasOwn(given, setting.env));
  const known = new Set(fields.map(([, setting]) => setting.env as string));
  const unknown = Object.keys(given).find((one) => !known.has(one));
  if (unknown !== undefined) throw new ConfigError(`${name}: ${unknown} is no setting of the zipper`);
  const values = readConfig(
    ZIPPER_SETTINGS,
    Object.fromEntries(Object.entries(given).map(([one, value]) => [one, String(value)])),
  );
  return {
    ...Object.fromEntries(fields.map(([field]) => [field, values[field as keyof typeof values]])),
    ...unsupportedValues(env, UNSUPPORTED_SETTINGS.zipper),
  };
}
