import { Ajv } from 'ajv';
import { ConfigError } from './errors.ts';

/** One setting: the environment variable that carries it and its JSON Schema, with description and default. */
export interface Setting {
  readonly env: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array';
  readonly description: string;
  /** A setting without a default is required. */
  readonly default?: string | number | boolean | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  /** Keeps the value out of every message. */
  readonly secret?: boolean;
}

export type Settings = Readonly<Record<string, Setting>>;

type ValueOf<S extends Setting> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S['type'] extends 'string'
    ? string
    : S['type'] extends 'boolean'
      ? boolean
      : S['type'] extends 'array'
        ? readonly string[]
        : number;

export type ConfigOf<T extends Settings> = { readonly [K in keyof T]: ValueOf<T[K]> };

/** A time of at least one millisecond. */
export const milliseconds = <const E extends string, const D extends number>(
  env: E,
  defaultMs: D,
  description: string,
) => ({
  env,
  type: 'integer' as const,
  minimum: 1,
  default: defaultMs,
  description: `${description}, in milliseconds`,
});

const schemaOf = (setting: Setting): Record<string, unknown> => {
  const { env: _env, secret: _secret, default: _default, description: _description, ...rest } = setting;
  return setting.type === 'array' ? { type: 'array', items: { type: 'string', minLength: 1 } } : rest;
};

const parseNumber = (text: string): unknown => {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? text : value;
};

const parseBoolean = (text: string): unknown => ({ true: true, false: false })[text] ?? text;

/** The text of a variable as the type that its setting asks for; text that does not fit stays text, for the validator to refuse. */
const parseText = (setting: Setting, text: string): unknown => {
  switch (setting.type) {
    case 'array':
      return text.split(',').map((part) => part.trim());
    case 'integer':
    case 'number':
      return parseNumber(text);
    case 'boolean':
      return parseBoolean(text);
    case 'string':
      return text;
  }
};

const rawValue = (setting: Setting, env: Readonly<Record<string, string | undefined>>): unknown => {
  const text = env[setting.env];
  return text === undefined || text === '' ? setting.default : parseText(setting, text);
};

const complaint = (setting: Setting, raw: unknown, problem: string): string => {
  if (raw === undefined) return `${setting.env} is not set: ${setting.description}`;
  const shown = setting.secret === true ? 'its value' : JSON.stringify(raw);
  return `${setting.env}: ${shown} ${problem} (${setting.description})`;
};

/**
 * The first fault of each value. One schema for all, and none for the schema itself, whose form the types hold: compiling
 * those would be felt at every start of a zipper.
 */
const faultsByName = (settings: Settings, values: Readonly<Record<string, unknown>>): Map<string, string> => {
  const entries = Object.entries(settings);
  const validate = new Ajv({ allErrors: true, strict: true, meta: false, validateSchema: false }).compile({
    type: 'object',
    required: entries.map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, setting]) => [name, schemaOf(setting)])),
  });
  const faults = new Map<string, string>();
  if (validate(values)) return faults;
  for (const { instancePath, params, message } of validate.errors ?? []) {
    const missing: unknown = params['missingProperty'];
    const name = typeof missing === 'string' ? missing : instancePath.split('/')[1];
    if (name !== undefined && !faults.has(name)) faults.set(name, message ?? 'is invalid');
  }
  return faults;
};

/**
 * Reads every setting from `env` and validates all of them in one pass.
 * @throws ConfigError that names every bad variable at once.
 */
export const readConfig = <const T extends Settings>(
  settings: T,
  env: Readonly<Record<string, string | undefined>>,
): ConfigOf<T> => {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const raw = rawValue(setting, env);
    if (raw !== undefined) values[name] = raw;
  }
  const found = faultsByName(settings, values);
  const problems = Object.entries(settings).flatMap(([name, setting]) => {
    const problem = found.get(name);
    return problem === undefined ? [] : [complaint(setting, values[name], problem)];
  });
  if (problems.length > 0) throw new ConfigError(`Invalid settings:\n  ${problems.join('\n  ')}`);
  return Object.freeze(values) as ConfigOf<T>;
};
