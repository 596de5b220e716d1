import { randomBytes } from 'node:crypto';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError } from './administration-error.ts';
import { type WaitForOptions, waitFor } from './wait-for.ts';

/** A command to the controller, which acknowledges it in the status. */
export interface Order {
  readonly target: { readonly namespace: string; readonly name: string };
  /** The annotation that carries the command. */
  readonly annotation: string;
}

export interface Question<T> extends Order {
  /** Names the operation in the message of a timeout. */
  readonly what: string;
  /** True when the status acknowledges the command with this nonce. */
  readonly hasResponse: (object: T, nonce: string) => boolean;
}

/** Sends the command without waiting; returns the nonce that the status will repeat. */
export const orderController = async <T extends KubeObject>(
  client: Pick<ObjectClient<T>, 'mergePatch'>,
  { target, annotation }: Order,
  signal?: AbortSignal,
): Promise<string> => {
  const nonce = randomBytes(12).toString('hex');
  await client.mergePatch(target, { metadata: { annotations: { [annotation]: nonce } } }, signal);
  return nonce;
};

/** True while the status does not acknowledge the latest command. */
export const isOrderPending = (
  { metadata }: Pick<KubeObject, 'metadata'>,
  annotation: string,
  responded: string | undefined,
): boolean => {
  const nonce = metadata.annotations?.[annotation] ?? '';
  return nonce !== '' && nonce !== responded;
};

/**
 * Sends a command as an annotation with a nonce, waits until the status repeats the nonce, and returns the object.
 * @throws AdministrationError TimedOut, NotFound
 */
export const askController = async <T extends KubeObject>(
  client: Pick<ObjectClient<T>, 'get' | 'mergePatch'>,
  { what, hasResponse, ...order }: Question<T>,
  wait: WaitForOptions,
): Promise<T> => {
  const { target } = order;
  const nonce = await orderController(client, order, wait.signal);
  const responded = await waitFor(wait, async () => {
    const object = await client.get(target.namespace, target.name, wait.signal);
    if (!object)
      throw new AdministrationError(`${what} failed: ${target.name} was deleted in the meantime`, {
        code: 'NotFound',
      });
    return hasResponse(object, nonce) ? object : undefined;
  });
  if (responded) return responded;
  throw new AdministrationError(
    `${what} timed out after ${Math.round(wait.limitMs / 1000)} s. It may still complete: check again later, and check that the controller is running`,
    { code: 'TimedOut' },
  );
};
