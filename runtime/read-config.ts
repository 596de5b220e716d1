import { Ajv } from 'ajv';
import { type ConfigOf, readSettings, type Settings, settingsSchema } from './config.ts';
import type { Validator } from './validator.ts';

/**
 * Reads and validates all settings from `env`. The schema itself is not validated, because that would delay each start.
 * @throws ConfigError that names every invalid variable
 */
export const readConfig = <const T extends Settings>(
  settings: T,
  env: Readonly<Record<string, string | undefined>>,
): ConfigOf<T> => {
  const ajv = new Ajv({ allErrors: true, strict: true, meta: false, validateSchema: false });
  return readSettings(settings, env, ajv.compile(settingsSchema(settings)) as Validator);
};
