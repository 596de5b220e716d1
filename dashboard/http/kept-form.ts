import type { DashboardContext } from './context.ts';

/** Filled in by pages, not by users. */
const OF_PAGES: ReadonlySet<string> = new Set([
  'csrf',
  'form',
  'version',
  'shown',
  'uuid',
  'job',
  'query',
  'result',
  'event',
  'endpoint',
]);
/** Never sent back to a browser. */
const SECRETS: ReadonlySet<string> = new Set(['accessKeyId', 'secretAccessKey', 'token', 'url']);
/** Typed by a user who wants the change now. Another user who signs in may not. */
const CONFIRMATION = 'confirm';

/** A posted form that was not processed, for a page that sends it again. */
export interface KeptForm {
  readonly action: string;
  /** Without the CSRF token and without the secrets that the user entered. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Secrets that the user must enter again were left out. */
  readonly hadSecrets: boolean;
}

/** Ticked in the list of jobs, whose form has the search but no ID. Other forms have the jobs of a page that asks for a confirmation. */
function isSelection(form: URLSearchParams): boolean {
  return form.has('query') && !form.has('form');
}

function isSecret([name, value]: readonly [string, string]): boolean {
  return value !== '' && SECRETS.has(name);
}

/** Undefined for a request without input of a user, and for one that the user had to confirm. */
export function keptForm(ctx: DashboardContext): KeptForm | undefined {
  const { form = new URLSearchParams() } = ctx.state;
  const all = [...form];
  const hasInput = all.some(
    ([name, value]) => value !== '' && (!OF_PAGES.has(name) || (name === 'job' && isSelection(form))),
  );
  if (ctx.method !== 'POST' || !hasInput || all.some(([name]) => name === CONFIRMATION)) return undefined;
  return {
    action: ctx.path,
    fields: all.filter((field) => field[0] !== 'csrf' && !isSecret(field)),
    hadSecrets: all.some(isSecret),
  };
}
