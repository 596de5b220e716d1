import { fieldOf, UNSUPPORTED_SETTINGS } from '#runtime/config/unsupported-settings.ts';
import { ZIPPER_SETTINGS } from '#runtime/zip-request/zipper-settings.ts';

type Texts = Readonly<Record<string, string>>;

const IN_TASK: ReadonlySet<string> = new Set([
  ...Object.values(ZIPPER_SETTINGS).map(({ env }) => env),
  ...UNSUPPORTED_SETTINGS.zipper,
  // Never was a variable of operators.
  'STORE_KEYS_LIMIT_MS',
]);

/** What a controller with these settings writes into a task, and the variables of its pod. */
export function splitZipperEnv(all: Texts): {
  readonly env: Texts;
  readonly settings: Readonly<Record<string, unknown>>;
} {
  const entries = Object.entries(all);
  return {
    env: Object.fromEntries(entries.filter(([name]) => !IN_TASK.has(name))),
    settings: Object.fromEntries(
      entries
        .filter(([name]) => IN_TASK.has(name))
        .map(([name, text]) => [fieldOf(name), JSON.parse(text) as unknown] as const),
    ),
  };
}
