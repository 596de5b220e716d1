import type { Page } from 'playwright-core';
import { press, type Shot } from './shot.ts';

async function testWebhook(page: Page): Promise<void> {
  await press('Send test')(page);
  await page
    .getByRole('status')
    .getByText(/^\s*HTTP 2\d\d$/)
    .waitFor({ timeout: 30_000 });
}

function forTokens(home: string): readonly Shot[] {
  return [
    { name: 'tokens', title: 'Access tokens', who: 'admin', path: `${home}/tokens` },
    {
      name: 'new-token',
      title: 'A new access token',
      who: 'admin',
      path: `${home}/new-token`,
    },
    {
      name: 'token-shown',
      title: 'Shown only once',
      who: 'admin',
      path: `${home}/new-token`,
      act: async (page) => {
        await page.getByLabel('Name').fill('nightly export');
        await press('Create token')(page);
      },
    },
    {
      name: 'token-revoke',
      title: 'Revoking an access token',
      who: 'admin',
      path: `${home}/tokens/order-service/revoke`,
    },
  ];
}

function forWebhook(home: string): readonly Shot[] {
  return [
    { name: 'webhook', title: 'Webhook settings', who: 'admin', path: `${home}/webhook`, act: testWebhook },
    {
      name: 'webhook-viewed',
      title: 'The same for a user who can only view',
      who: 'viewer',
      path: `${home}/webhook`,
    },
    {
      name: 'webhook-rotate',
      title: 'Rotating the signing secret',
      who: 'admin',
      path: `${home}/webhook/rotate-secret`,
    },
    {
      name: 'webhook-secret',
      title: 'Shown only once',
      who: 'admin',
      path: `${home}/webhook/rotate-secret`,
      act: press('Rotate secret'),
    },
    {
      name: 'webhook-remove',
      title: 'Removing the webhook',
      who: 'admin',
      path: `${home}/webhook/remove`,
    },
    {
      name: 'webhook-new-endpoint',
      title: 'Another endpoint',
      who: 'admin',
      path: `${home}/webhook/new-endpoint`,
    },
    {
      name: 'webhook-resend',
      title: 'Resending failed deliveries',
      who: 'admin',
      path: `${home}/webhook/resend`,
    },
  ];
}

function forSettings(home: string): readonly Shot[] {
  return [
    { name: 'settings', title: 'Settings of a project', who: 'admin', path: `${home}/settings` },
    {
      name: 'settings-viewed',
      title: 'The same for a user who can only view',
      who: 'viewer',
      path: `${home}/settings`,
    },
    { name: 'settings-general', title: 'Renaming a project', who: 'admin', path: `${home}/settings/general` },
    {
      name: 'settings-limits',
      title: 'Lowering a limit, with a form error',
      who: 'admin',
      path: `${home}/settings/limits`,
      act: async (page) => {
        await page.getByLabel('Active jobs').fill('100000');
        await press('Save')(page);
      },
    },
    {
      name: 'settings-job-defaults',
      title: 'Defaults of jobs',
      who: 'admin',
      path: `${home}/settings/job-defaults`,
    },
    {
      name: 'settings-caller-options',
      title: 'Options of callers',
      who: 'admin',
      path: `${home}/settings/caller-options`,
    },
    {
      name: 'settings-retention',
      title: 'How long the history keeps jobs',
      who: 'admin',
      path: `${home}/settings/retention`,
    },
    {
      name: 'project-delete',
      title: 'Deleting a project',
      who: 'admin',
      path: `${home}/settings/delete`,
      act: press('Delete project'),
    },
  ];
}

/** Of the pages on which a project is set up, other than its buckets. */
export function settingsShots(home: string): readonly Shot[] {
  return [...forTokens(home), ...forWebhook(home), ...forSettings(home)];
}
