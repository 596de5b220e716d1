import { Ajv } from 'ajv';
import { type ConfigOf, readSettings, type Settings, settingsSchema } from './config.ts';
import { type Constants, type ValuesOf, withUnsupported } from './unsupported-settings.ts';
import type { Validator } from './validator.ts';

/** By table, because it takes longer to compile a validator than to read the settings. */
const validators = new WeakMap<Settings, Validator>();

function validatorOf(settings: Settings): Validator {
  const known = validators.get(settings);
  if (known !== undefined) return known;
  const ajv = new Ajv({ allErrors: true, strict: true, meta: false, validateSchema: false });
  const compiled = ajv.compile(settingsSchema(settings)) as Validator;
  validators.set(settings, compiled);
  return compiled;
}

/**
 * Reads and validates all settings from `env`, and adds constants that tests may change. The schema itself is not validated, because
 * that would delay each start.
 * @throws ConfigError that names every invalid variable
 */
export function readConfig<
  const T extends Settings,
  const C extends Constants = Readonly<Record<never, number>>,
>(settings: T, env: Readonly<Record<string, string | undefined>>, constants?: C): ConfigOf<T> & ValuesOf<C> {
  const config = Object.assign(
    withUnsupported(constants ?? ({} as C), env),
    readSettings(settings, env, validatorOf(settings)),
  );
  Object.freeze(config);
  return config;
}
