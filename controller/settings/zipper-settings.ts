import type { Settings } from '#runtime/config.ts';

const DEFAULT_ZIPPER_RESOURCES = JSON.stringify({
  requests: { cpu: '100m', memory: '256Mi', 'ephemeral-storage': '16Mi' },
  limits: { cpu: '2', memory: '512Mi', 'ephemeral-storage': '64Mi' },
});

const DEFAULT_ZIPPER_POD = JSON.stringify({
  spec: {
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
export const ZIPPER_SETTINGS = {
  zipperImage: { env: 'ZIPPER_IMAGE', type: 'string', minLength: 1, description: 'image of the zipper' },
  zipperImagePullPolicy: {
    env: 'ZIPPER_IMAGE_PULL_POLICY',
    type: 'string',
    enum: ['Always', 'IfNotPresent', 'Never'],
    default: 'IfNotPresent',
    description: 'pull policy of the zipper image',
  },
  zipperImagePullSecrets: {
    env: 'ZIPPER_IMAGE_PULL_SECRETS',
    type: 'array',
    default: [],
    description: "names of the zipper image's pull Secrets in the project namespaces",
  },
  zipperEnvJson: {
    env: 'ZIPPER_ENV_JSON',
    type: 'string',
    default: '{}',
    description: 'settings of the zipper: JSON object of environment variables',
  },
  zipperResourcesJson: {
    env: 'ZIPPER_RESOURCES_JSON',
    type: 'string',
    default: DEFAULT_ZIPPER_RESOURCES,
    description: 'default resources of the zipper container: JSON {requests, limits}',
  },
  zipperPodJson: {
    env: 'ZIPPER_POD_JSON',
    type: 'string',
    default: DEFAULT_ZIPPER_POD,
    description:
      'metadata and fields of every zipper pod: JSON {labels, annotations, spec, containerSecurityContext}',
  },
  zipperPriorityClassName: {
    env: 'ZIPPER_PRIORITY_CLASS_NAME',
    type: 'string',
    default: '',
    description: 'default priority class of zipper pods',
  },
  zipperProxySecretsJson: {
    env: 'ZIPPER_PROXY_SECRETS_JSON',
    type: 'string',
    default: '{}',
    description:
      "Secrets in the project namespaces with the keys username and password of the zipper's proxies: JSON object of SOURCE and STORE to name",
  },
  zipperGraceSeconds: {
    env: 'ZIPPER_GRACE_SECONDS',
    type: 'integer',
    minimum: 1,
    default: 30,
    description: 'termination grace period of a zipper pod',
  },
} as const satisfies Settings;
