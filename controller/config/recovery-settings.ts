import type { Settings } from '#runtime/config/config.ts';

/** How much later than its own time limit a recovery pod may report. */
export const RECOVERY_GRACE_SECONDS = 60;

const DEFAULT_RECOVERY_RESOURCES = JSON.stringify({
  requests: { cpu: '50m', memory: '128Mi', 'ephemeral-storage': '16Mi' },
  limits: { cpu: '500m', memory: '256Mi', 'ephemeral-storage': '64Mi' },
});

/** Settings of the recovery of lost attempts. */
export const RECOVERY_SETTINGS = {
  recoveryTimeoutSeconds: {
    env: 'RECOVERY_TIMEOUT_SECONDS',
    type: 'integer',
    minimum: 60,
    maximum: 604_800,
    default: 86_400,
    description:
      'how long the recovery of an attempt that was lost while it committed is retried, if the deadline of its job is not later; then the job ends as OutcomeUnknown',
    changeWhen: 'raise it when a store is away for longer, and its jobs end as OutcomeUnknown',
  },
  recoveryResourcesJson: {
    env: 'RECOVERY_RESOURCES_JSON',
    type: 'string',
    default: DEFAULT_RECOVERY_RESOURCES,
    description: 'resources of the container of every recovery pod: JSON {requests, limits}',
    keys: ['requests', 'limits'],
    changeWhen: 'raise the limits when recovery pods are killed for their memory',
  },
  recoveryPriorityClassName: {
    env: 'RECOVERY_PRIORITY_CLASS_NAME',
    type: 'string',
    default: '',
    description: 'priority class of recovery pods; empty for that of their zipper pods',
    changeWhen: 'set it when recovery pods stay Pending behind other pods',
  },
} as const satisfies Settings;

export const RECOVERY_CONSTANTS = {
  /** Time limit of a recovery pod from when it has a node. More than its own limit in the zipper, so that the pod reports the end. */
  recoveryDeadlineSeconds: 120,
  /** Longest time between the starts of two recovery Jobs of an attempt: a store that is back is noticed within it. */
  recoveryRetrySeconds: 300,
};
