/** The signing secret of a project as its receiver knows it, also during a rotation. */
import { randomBytes } from 'node:crypto';
import { WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { verifyDelivery } from '#test/support/servers/webhook-receiver.ts';
import type { Project } from '#test/support/worlds/project.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

/** Longer than any schedule: the old secret never expires before its receiver changes. */
const OVERLAP_MS = 3_600_000;

export interface WebhookKeys {
  /**
   * Starts a rotation with a new secret in addition to the old one; does nothing while a rotation is active.
   */
  rotate(): Promise<void>;
  /** Ends a rotation: every receiver uses the new secret. */
  endRotation(): void;
  /** A receiver that knows only the newest secret refuses deliveries without its signature. */
  judge(request: ProxiedRequest): FaultAction | undefined;
  /** `unverified` when the published libraries refuse it with the secret that must sign every delivery. */
  note(request: ProxiedRequest): Readonly<Record<string, string>>;
}

function flawOf({ path, headers, body }: ProxiedRequest, secret: string): string | undefined {
  try {
    verifyDelivery({ path, headers, body: body.toString('utf8'), at: Date.now() }, secret);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

export function createWebhookKeys(
  { namespace, webhookSecret }: Pick<Project, 'namespace' | 'webhookSecret'>,
  write: (change: (admin: KubeApi) => Promise<unknown>) => Promise<unknown>,
): WebhookKeys {
  let current = webhookSecret;
  /** Valid from before the rotation to its end, so no moment is too early or too late for it. */
  let lasting = webhookSecret;
  return {
    rotate: async () => {
      if (lasting !== current) return;
      const next = `whsec_${randomBytes(32).toString('base64')}`;
      const previousUntil = new Date(Date.now() + OVERLAP_MS).toISOString();
      const stringData = { current: next, previous: current, previousUntil };
      const path = `/api/v1/namespaces/${namespace}/secrets/${WEBHOOK_SECRET_NAME}`;
      await write((admin) => admin.patch(path, { stringData }));
      current = next;
    },
    endRotation: () => {
      lasting = current;
    },
    judge: (request) =>
      flawOf(request, current) === undefined ? undefined : { kind: 'response', status: 401 },
    note: (request) => {
      const flaw = flawOf(request, lasting);
      return flaw === undefined ? {} : { unverified: flaw };
    },
  };
}
