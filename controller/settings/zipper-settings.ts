import type { Settings } from '#runtime/config.ts';

const DEFAULT_ZIPPER_RESOURCES = JSON.stringify({
  requests: { cpu: '250m', memory: '256Mi', 'ephemeral-storage': '16Mi' },
  limits: { cpu: '2', memory: '512Mi', 'ephemeral-storage': '64Mi' },
});

/** What the controller writes into the pods of zippers. */
export const ZIPPER_SETTINGS = {
  zipperImage: { env: 'ZIPPER_IMAGE', type: 'string', minLength: 1, description: 'image of the zipper' },
  zipperImagePullPolicy: {
    env: 'ZIPPER_IMAGE_PULL_POLICY',
    type: 'string',
    enum: ['Always', 'IfNotPresent', 'Never'],
    default: 'IfNotPresent',
    description: 'when nodes pull the zipper image',
  },
  zipperImagePullSecrets: {
    env: 'ZIPPER_IMAGE_PULL_SECRETS',
    type: 'array',
    default: [],
    description: 'pull Secrets of the zipper image, by name, in the project namespaces',
  },
  zipperEnvJson: {
    env: 'ZIPPER_ENV_JSON',
    type: 'string',
    default: '{}',
    description: "the zipper's own settings: JSON object of env name to string",
  },
  zipperResourcesJson: {
    env: 'ZIPPER_RESOURCES_JSON',
    type: 'string',
    default: DEFAULT_ZIPPER_RESOURCES,
    description: 'resources of the zipper container where a ZipJob names none: JSON {requests, limits}',
  },
  zipperNodeSelectorJson: {
    env: 'ZIPPER_NODE_SELECTOR_JSON',
    type: 'string',
    default: '{}',
    description: 'node selector of zipper pods: JSON object of label to value',
  },
  zipperTolerationsJson: {
    env: 'ZIPPER_TOLERATIONS_JSON',
    type: 'string',
    default: '[]',
    description: 'taints that zipper pods bear besides those of an ailing node: JSON array as in a pod',
  },
  zipperPriorityClassName: {
    env: 'ZIPPER_PRIORITY_CLASS_NAME',
    type: 'string',
    default: '',
    description: 'priority class of zipper pods where a ZipJob names none',
  },
  zipperGraceSeconds: {
    env: 'ZIPPER_GRACE_SECONDS',
    type: 'integer',
    minimum: 1,
    default: 30,
    description: 'how long a zipper pod may take after SIGTERM',
  },
} as const satisfies Settings;
