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
  webhook: 'Webhook',
  settings: 'Settings',
  'first-steps': 'First steps',
};

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
    title: 'No projects you can access',
    text: 'A project is a namespace with its own buckets, access tokens and jobs. Create one in a namespace you own, or ask for the role view in a namespace that has a project.',
  },
  jobs: { title: 'No jobs yet', text: 'A job creates one archive from a list of files.' },
  noProjectFound: { title: 'No projects found', text: 'Check the spelling, or clear the filter.' },
  tokens: { title: 'No access tokens yet', text: 'Create a token to call the API.' },
  noneFound: { title: 'No jobs found', text: 'Remove a filter to see more.' },
} as const;
