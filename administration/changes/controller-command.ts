import { randomBytes } from 'node:crypto';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError } from '../errors/administration-error.ts';
import { type WaitForOptions, waitOrTimeOut } from './wait-for.ts';

/** A command to the controller, which acknowledges it in the status. */
export interface Command {
  readonly target: { readonly namespace: string; readonly name: string };
  /** The annotation that carries the command. */
  readonly annotation: string;
}

export interface AwaitedCommand<T> extends Command {
  /** Names the operation in the message of a timeout. */
  readonly what: string;
  /** True when the status acknowledges the command with this nonce. */
  readonly isAcknowledged: (object: T, nonce: string) => boolean;
  /** The message of a timeout, if the object that was last read says more. */
  readonly timedOut?: (last: T | undefined) => string | undefined;
}

/** The status will repeat it. */
function newNonce(): string {
  return randomBytes(12).toString('hex');
}

/** Sends the command without waiting. */
export async function sendCommand<T extends KubeObject>(
  client: Pick<ObjectClient<T>, 'mergePatch'>,
  { target, annotation }: Command,
  { signal, nonce = newNonce() }: { readonly signal?: AbortSignal; readonly nonce?: string } = {},
): Promise<void> {
  await client.mergePatch(target, { metadata: { annotations: { [annotation]: nonce } } }, signal);
}

/** True while the status does not acknowledge the latest command. */
export function isCommandPending(
  { metadata }: Pick<KubeObject, 'metadata'>,
  annotation: string,
  responded: string | undefined,
): boolean {
  const nonce = metadata.annotations?.[annotation] ?? '';
  return nonce !== '' && nonce !== responded;
}

/**
 * Sends a command as an annotation with a nonce, waits until the status repeats the nonce, and returns the object.
 * @throws AdministrationError TimedOut, NotFound
 */
export async function runCommand<T extends KubeObject>(
  client: Pick<ObjectClient<T>, 'get' | 'mergePatch'>,
  { what, isAcknowledged, timedOut, ...command }: AwaitedCommand<T>,
  wait: WaitForOptions,
): Promise<T> {
  const { target } = command;
  const nonce = newNonce();
  let isSent = false;
  let last: T | undefined;
  return waitOrTimeOut(
    wait,
    async (signal) => {
      // The same command again has no other effect.
      if (!isSent) await sendCommand(client, command, { signal, nonce });
      isSent = true;
      const object = await client.get(target.namespace, target.name, signal);
      if (!object)
        throw new AdministrationError(`${what} failed: ${target.name} was deleted in the meantime`, {
          code: 'NotFound',
        });
      last = object;
      return isAcknowledged(object, nonce) ? object : undefined;
    },
    () =>
      timedOut?.(last) ??
      `${what} timed out after ${Math.round(wait.limitMs / 1000)} s. It may still complete: check again later, and check that the controller is running`,
  );
}
