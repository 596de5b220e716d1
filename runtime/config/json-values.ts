import { ConfigError } from '../errors.ts';
import { isRecord } from '../kube/client/decode.ts';

/** @throws ConfigError that names the variable; the message does not include the value. */
export function parseJson(env: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${env} is not valid JSON`, error);
  }
}

export function isStringMap(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((entry) => typeof entry === 'string');
}
