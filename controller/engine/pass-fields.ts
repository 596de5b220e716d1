import { randomUUID } from 'node:crypto';
import type { LogFields } from '#runtime/log-context.ts';

/** What all lines of one pass over a key have in common; the id tells the passes of an object apart. */
export const passFields =
  (controller: string) =>
  (key: string): LogFields => {
    const [namespace = '', name = ''] = key.split('/');
    return { controller, namespace, name, reconcileId: randomUUID() };
  };
