import type { ObjectMeta } from '#crds/object-meta.ts';

/** As much of a nonce as the status keeps. */
const MAX_NONCE = 64;

/** The nonce of a command that stands in an annotation and is not answered yet. */
export const commandOf = (
  { annotations }: Pick<ObjectMeta, 'annotations'>,
  annotation: string,
  answered: string | undefined,
): string | undefined => {
  const nonce = annotations?.[annotation]?.slice(0, MAX_NONCE);
  return nonce === undefined || nonce === '' || nonce === answered ? undefined : nonce;
};
