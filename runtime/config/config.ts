import { ConfigError } from '../errors.ts';
import { LONGEST_TIMER_MS } from '../time/clock.ts';
import type { Validator } from './validator.ts';

/** One setting: its environment variable, and its JSON Schema with description and default. */
export interface Setting {
  readonly env: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array';
  readonly description: string;
  /** The symptom that is a reason to change it. */
  readonly changeWhen?: string;
  /** The keys of a JSON object. */
  readonly keys?: readonly string[];
  /** What sets a variable that no operator can change. */
  readonly setBy?: string;
  /** A setting without a default is required. */
  readonly default?: string | number | boolean | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  /** The value never appears in a message. */
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

/** The defaults of settings that all have one. */
export function defaultsOf<const T extends Settings>(settings: T): ConfigOf<T> {
  const defaults = Object.entries(settings).map(([name, setting]) => [name, setting.default] as const);
  return Object.fromEntries(defaults) as ConfigOf<T>;
}

/** A time of at least one millisecond. */
export function milliseconds<const E extends string, const D extends number>(
  env: E,
  defaultMs: D,
  { description, changeWhen }: { readonly description: string; readonly changeWhen: string },
) {
  return {
    env,
    type: 'integer' as const,
    minimum: 1,
    default: defaultMs,
    description: `${description}, in milliseconds`,
    changeWhen,
  };
}

/** The maximum of a setting in seconds that becomes a timer. */
export const LONGEST_TIMER_SECONDS = Math.floor(LONGEST_TIMER_MS / 1_000);

/** Settings in milliseconds become timers. One that does not can have a higher maximum of its own. */
export function withTimerLimit(setting: Setting): Setting {
  return setting.env.endsWith('_MS') ? { ...setting, maximum: setting.maximum ?? LONGEST_TIMER_MS } : setting;
}

function schemaOf(unlimited: Setting): Record<string, unknown> {
  const setting = withTimerLimit(unlimited);
  const {
    env: _env,
    secret: _secret,
    default: _default,
    description: _description,
    changeWhen: _changeWhen,
    setBy: _setBy,
    keys: _keys,
    ...rest
  } = setting;
  return setting.type === 'array' ? { type: 'array', items: { type: 'string', minLength: 1 } } : rest;
}

/** One schema for all values. */
export function settingsSchema(settings: Settings) {
  const entries = Object.entries(settings);
  return {
    type: 'object',
    required: entries.map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, setting]) => [name, schemaOf(setting)])),
  };
}

function parseNumber(text: string): unknown {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? text : value;
}

function parseBoolean(text: string): unknown {
  return { true: true, false: false }[text] ?? text;
}

/** Converts text to the type of the setting. Text that cannot be converted stays text, which the validator rejects. */
function parseText(setting: Setting, text: string): unknown {
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
}

function rawValue(setting: Setting, env: Readonly<Record<string, string | undefined>>): unknown {
  const text = env[setting.env];
  return text === undefined || text === '' ? setting.default : parseText(setting, text);
}

function complaint(setting: Setting, raw: unknown, problem: string): string {
  if (raw === undefined) return `${setting.env} is not set: ${setting.description}`;
  const shown = setting.secret === true ? 'its value' : JSON.stringify(raw);
  return `${setting.env}: ${shown} ${problem} (${setting.description})`;
}

/** The first error of each value. */
function faultsByName(validate: Validator, values: unknown): Map<string, string> {
  const faults = new Map<string, string>();
  if (validate(values)) return faults;
  for (const { instancePath, params, message } of validate.errors ?? []) {
    const missing = params['missingProperty'];
    const name = typeof missing === 'string' ? missing : instancePath.split('/')[1];
    if (name !== undefined && !faults.has(name)) faults.set(name, message ?? 'is invalid');
  }
  return faults;
}

/**
 * Reads all settings from `env`, and validates them with a validator of their schema.
 * @throws ConfigError that names every invalid variable
 */
export function readSettings<const T extends Settings>(
  settings: T,
  env: Readonly<Record<string, string | undefined>>,
  validate: Validator,
): ConfigOf<T> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const raw = rawValue(setting, env);
    if (raw !== undefined) values[name] = raw;
  }
  const found = faultsByName(validate, values);
  const problems = Object.entries(settings).flatMap(([name, setting]) => {
    const problem = found.get(name);
    return problem === undefined ? [] : [complaint(setting, values[name], problem)];
  });
  if (problems.length > 0) throw new ConfigError(`Invalid settings:\n  ${problems.join('\n  ')}`);
  return Object.freeze(values) as ConfigOf<T>;
}
