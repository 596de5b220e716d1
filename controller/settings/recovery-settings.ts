import type { Settings } from '#runtime/config.ts';
import { ConfigError } from '#runtime/errors.ts';

/** How much later than its own time limit a recovery pod may report. */
export const RECOVERY_GRACE_SECONDS = 60;

const DEFAULT_RECOVERY_RESOURCES = JSON.stringify({
  requests: { cpu: '50m', memory: '128Mi', 'ephemeral-storage': '16Mi' },
  limits: { cpu: '500m', memory: '256Mi', 'ephemeral-storage': '64Mi' },
});

/** Settings of the recovery of lost attempts. */
export const RECOVERY_SETTINGS = {
  recoveryDeadlineSeconds: {
    env: 'RECOVERY_DEADLINE_SECONDS',
    type: 'integer',
    minimum: 5,
    maximum: 240,
    default: 120,
    description: 'time limit of a recovery pod, counted from when it was assigned to a node',
  },
  recoveryTimeoutSeconds: {
    env: 'RECOVERY_TIMEOUT_SECONDS',
    type: 'integer',
    minimum: 60,
    maximum: 604_800,
    default: 86_400,
    description:
      'how long the recovery of an attempt that was lost while it committed is retried, if the deadline of its job is not later; then the job ends as OutcomeUnknown',
  },
  recoveryRetrySeconds: {
    env: 'RECOVERY_RETRY_SECONDS',
    type: 'integer',
    minimum: 1,
    maximum: 3600,
    default: 300,
    description: 'maximum time between the starts of two recovery Jobs of an attempt',
  },
  recoveryResourcesJson: {
    env: 'RECOVERY_RESOURCES_JSON',
    type: 'string',
    default: DEFAULT_RECOVERY_RESOURCES,
    description: 'resources of the container of every recovery pod: JSON {requests, limits}',
  },
  recoveryPriorityClassName: {
    env: 'RECOVERY_PRIORITY_CLASS_NAME',
    type: 'string',
    default: '',
    description: 'priority class of recovery pods; empty for that of their zipper pods',
  },
} as const satisfies Settings;

/** @throws ConfigError if recovery pods would be deleted before their own time limit, so that they could never report it. */
export function checkRecoveryLimit(
  recoveryDeadlineSeconds: number,
  zipperEnv: Readonly<Record<string, string>>,
): void {
  const limitMs = Number(zipperEnv['RECOVERY_LIMIT_MS'] ?? 0);
  const seconds = recoveryDeadlineSeconds + RECOVERY_GRACE_SECONDS;
  if (limitMs >= seconds * 1000)
    throw new ConfigError(
      `RECOVERY_LIMIT_MS of the zipper (${limitMs}) must be less than RECOVERY_DEADLINE_SECONDS and one minute (${seconds} s)`,
    );
}
