import { randomBytes } from 'node:crypto';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError } from './administration-error.ts';
import { type WaitForOptions, waitFor } from './wait-for.ts';

/** A command to the controller, which says in the status that it was carried out. */
export interface Order {
  readonly target: { readonly namespace: string; readonly name: string };
  /** The annotation that is the command. */
  readonly annotation: string;
}

export interface Question<T> extends Order {
  /** What was asked for, for the message when no answer comes. */
  readonly what: string;
  /** True when the object bears the answer to the command with this nonce. */
  readonly isAnswered: (object: T, nonce: string) => boolean;
}

/** Gives the order and waits for nothing; returns the nonce that the status will repeat. */
export const orderController = async <T extends KubeObject>(
  client: Pick<ObjectClient<T>, 'mergePatch'>,
  { target, annotation }: Order,
  signal?: AbortSignal,
): Promise<string> => {
  const nonce = randomBytes(12).toString('hex');
  await client.mergePatch(target, { metadata: { annotations: { [annotation]: nonce } } }, signal);
  return nonce;
};

/** Whether an order was given that the status does not answer yet. */
export const isOrderPending = (
  { metadata }: Pick<KubeObject, 'metadata'>,
  annotation: string,
  answered: string | undefined,
): boolean => {
  const nonce = metadata.annotations?.[annotation] ?? '';
  return nonce !== '' && nonce !== answered;
};

/**
 * Asks the controller by an annotation with a nonce, and waits until the status repeats it; returns the object then.
 * @throws AdministrationError TimedOut, NotFound
 */
export const askController = async <T extends KubeObject>(
  client: Pick<ObjectClient<T>, 'get' | 'mergePatch'>,
  { what, isAnswered, ...order }: Question<T>,
  wait: WaitForOptions,
): Promise<T> => {
  const { target } = order;
  const nonce = await orderController(client, order, wait.signal);
  const answered = await waitFor(wait, async () => {
    const object = await client.get(target.namespace, target.name, wait.signal);
    if (!object)
      throw new AdministrationError(`${what} has no answer: ${target.name} was deleted`, {
        code: 'NotFound',
      });
    return isAnswered(object, nonce) ? object : undefined;
  });
  if (answered) return answered;
  throw new AdministrationError(
    `${what} has no answer after ${Math.round(wait.limitMs / 1000)} s. It may still come: look again, and see whether the controller runs`,
    { code: 'TimedOut' },
  );
};
