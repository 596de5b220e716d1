import { createHash } from 'node:crypto';
import { findEndpoint } from '#crds/webhook-endpoints.ts';
import type { ProjectEndpoint, ZipProject } from '#crds/zip-project.ts';
import { type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import type { DeliveryTask } from './dispatcher.ts';
import { endpointDelivery } from './endpoint-delivery.ts';
import type { Sender } from './sender.ts';

const PREFIX = 'test ';

/** Key of a project's test events in the dispatcher. */
export function testKeyOf(project: ObjectKey): string {
  return `${PREFIX}${project}`;
}

/** The project of such a key; undefined for the key of a ZipJob. */
export function projectOfTest(key: string): string | undefined {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : undefined;
}

export function testIdOf({ metadata }: ZipProject, nonce: string): string {
  return `msg_test_${createHash('sha256').update(`${metadata.uid} ${nonce}`).digest('hex').slice(0, 32)}`;
}

/** The delivery of a test event to the endpoint with this name. */
export type PlanTest = (project: ZipProject, name: string, nonce: string) => DeliveryTask;

export function createPlanTest(sender: Sender): PlanTest {
  return (project, name, nonce) => {
    const { namespace } = project.metadata;
    const { url } = findEndpoint<ProjectEndpoint>(project.spec.webhook, name) ?? {};
    const id = testIdOf(project, nonce);
    return {
      key: testKeyOf(objectKey(project)),
      attemptId: id,
      isWanted: () => true,
      ...endpointDelivery(
        sender,
        { namespace, name, url },
        { id, body: () => JSON.stringify({ type: 'TEST', project: namespace }) },
      ),
    };
  };
}
