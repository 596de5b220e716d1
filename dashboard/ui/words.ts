import type { Phase } from '#crds/zip-job.ts';
import type { Section } from '../http/page.ts';
import type { DeliveryResult } from '../live/deliveries.ts';

/** Words that more than one page of the dashboard shows. */

/** The menu and the titles of the pages. */
export const SECTION_LABELS: Readonly<Record<Section, string>> = {
  projects: 'Projects',
  overview: 'Overview',
  jobs: 'Jobs',
  history: 'History',
  buckets: 'Buckets',
  tokens: 'Access tokens',
  'refused-requests': 'Refused requests',
  webhook: 'Webhook',
  settings: 'Settings',
  'first-steps': 'First steps',
};

/** Pressed after `g`, each opens its page (scripts/keys.js). */
export const SECTION_KEYS: Readonly<Record<Section, string>> = {
  projects: 'p',
  overview: 'o',
  jobs: 'j',
  history: 'h',
  buckets: 'b',
  tokens: 't',
  'refused-requests': 'r',
  webhook: 'w',
  settings: 's',
  'first-steps': 'f',
};

/** What scripts/keys.js does, for the list of keys. */
export const SHORTCUTS: readonly (readonly [keys: readonly string[], text: string])[] = [
  [['/'], 'Find a job'],
  [['j', 'k'], 'Next and previous row'],
  [['Enter'], 'Open the row'],
  [['x'], 'Select the row'],
  [['g', 'j'], 'Jobs; also o, h, b, t, r, w, s, f, p'],
  [['Esc'], 'Close what is open'],
  [['?'], 'This list'],
];

/** Class and icon of a badge. */
export type Look = 'good' | 'bad' | 'warn' | 'going' | 'quiet';

/** How the state of a job looks. */
export const PHASE_LOOKS: Readonly<Record<Phase, Look>> = {
  Queued: 'quiet',
  Starting: 'quiet',
  Running: 'going',
  Finalizing: 'going',
  Succeeded: 'good',
  Failed: 'bad',
  Cancelled: 'warn',
};

/** How the result of a webhook delivery looks. */
export const DELIVERY_BADGES: Readonly<
  Record<DeliveryResult, { readonly look: Look; readonly text: string }>
> = {
  failed: { look: 'bad', text: 'Failed' },
  pending: { look: 'warn', text: 'Pending' },
  delivered: { look: 'good', text: 'Delivered' },
};

/** Lists without entries. */
export const EMPTY = {
  projects: {
    title: 'You have no access to a project yet',
    text: 'Create a project in a namespace that you administer, or ask for the view role in an existing project.',
  },
  jobs: { title: 'No jobs yet', text: 'A job creates one archive from a list of files.' },
  noProjectFound: { title: 'No projects found', text: 'Check the spelling, or clear the filter.' },
  tokens: { title: 'No access tokens yet', text: 'Create a token to call the API.' },
  noneFound: { title: 'No jobs found', text: 'Remove a filter to see more.' },
} as const;
