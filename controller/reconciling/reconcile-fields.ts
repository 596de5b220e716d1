import { randomUUID } from 'node:crypto';
import type { LogFields } from '#runtime/log/log-context.ts';

/** Common fields of all log lines of one reconcile; the id identifies the reconcile. */
export function reconcileFields(controller: string) {
  return (key: string): LogFields => {
    const [namespace = '', name = ''] = key.split('/');
    return { controller, namespace, name, reconcileId: randomUUID() };
  };
}
