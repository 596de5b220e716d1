import { isStringMap, parseJson } from '#runtime/config/json-values.ts';
import { ConfigError } from '#runtime/errors.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';

/**
 * Parses a JSON object of strings.
 * @throws ConfigError for any other text; the message does not include the values.
 */
export function readStringMap(env: string, text: string): Readonly<Record<string, string>> {
  const value = parseJson(env, text);
  if (isStringMap(value)) return value;
  throw new ConfigError(`${env} must be a JSON object of strings`);
}

type Quantities = Readonly<Record<string, string | number>>;

/** Resources of a container. */
export interface Resources {
  readonly requests: Quantities;
  readonly limits: Quantities;
}

function isQuantities(value: unknown): value is Quantities {
  return (
    isRecord(value) &&
    Object.values(value).every((entry) => typeof entry === 'string' || typeof entry === 'number')
  );
}

/** @throws ConfigError unless the text is a JSON object whose fields `requests` and `limits` contain strings or numbers. */
export function readResources(env: string, text: string): Resources {
  const parsed = parseJson(env, text);
  if (isRecord(parsed)) {
    const { requests = {}, limits = {} } = parsed;
    if (isQuantities(requests) && isQuantities(limits)) return { requests, limits };
  }
  throw new ConfigError(`${env} must be a JSON object {requests, limits} of quantities`);
}
