import type { ObjectMeta } from '#crds/object-meta.ts';

/** Maximum length of a nonce in the status. */
const MAX_NONCE = 64;

/** The nonce of a command in an annotation that has not been carried out yet. */
export function commandOf(
  { annotations }: Pick<ObjectMeta, 'annotations'>,
  annotation: string,
  responded: string | undefined,
): string | undefined {
  const nonce = annotations?.[annotation]?.slice(0, MAX_NONCE);
  return nonce === undefined || nonce === '' || nonce === responded ? undefined : nonce;
}
