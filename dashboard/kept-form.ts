import type { DashboardContext } from './context.ts';

/** Filled in by pages, not by users. */
const OF_PAGES: ReadonlySet<string> = new Set([
  'csrf',
  'form',
  'version',
  'uuid',
  'job',
  'scope',
  'query',
  'result',
  'event',
]);
/** Never sent back to a browser. */
const SECRETS: ReadonlySet<string> = new Set(['accessKeyId', 'secretAccessKey', 'token']);

/** A posted form that was not processed, for a page that sends it again. */
export interface KeptForm {
  readonly action: string;
  /** Without the CSRF token and without secrets. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Secrets that the user must enter again were left out. */
  readonly hadSecrets: boolean;
}

/** Undefined for a request without input of a user. */
export const keptForm = (ctx: DashboardContext): KeptForm | undefined => {
  const all = [...(ctx.state.form ?? [])];
  if (ctx.method !== 'POST' || !all.some(([name, value]) => value !== '' && !OF_PAGES.has(name)))
    return undefined;
  return {
    action: ctx.path,
    fields: all.filter(([name]) => name !== 'csrf' && !SECRETS.has(name)),
    hadSecrets: all.some(([name, value]) => value !== '' && SECRETS.has(name)),
  };
};
