import { parameterInvalid } from '../errors/api-error.ts';

export const EXPANSIONS = ['progress', 'error', 'archive', 'bucket', 'webhook', 'job'] as const;
export type Expansion = (typeof EXPANSIONS)[number];

function isExpansion(text: string): text is Expansion {
  return EXPANSIONS.some((one) => one === text);
}

/**
 * Parses `?expand=`, a comma-separated list that may be repeated. Returns the names in the order of EXPANSIONS.
 * @throws ApiError parameter_invalid for an unknown name
 */
export function readExpand(query: string): readonly Expansion[] {
  const asked = new URLSearchParams(query).getAll('expand').flatMap((value) => value.split(','));
  if (!asked.every(isExpansion))
    throw parameterInvalid('expand', `expand must be a comma-separated list of: ${EXPANSIONS.join(', ')}.`);
  return EXPANSIONS.filter((one) => asked.includes(one));
}
