import type { Page } from 'playwright-core';
import type { ShownJobs } from './fill-project.ts';

/** The signed-in user. */
export type Who = 'nobody' | 'admin' | 'viewer';

/** One page, captured on every device and in both themes. */
export interface Shot<User extends string = Who> {
  readonly name: string;
  /** What it shows, for the gallery. */
  readonly title: string;
  readonly who: User;
  readonly path: string;
  /** Steps before the screenshot. */
  readonly act?: (page: Page) => Promise<void>;
}

const press =
  (name: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.waitForLoadState('load');
  };

const testBucket = async (page: Page): Promise<void> => {
  await press('Test connection')(page);
  await page.locator('[data-live-end] .badge').waitFor({ timeout: 60_000 });
};

const testWebhook = async (page: Page): Promise<void> => {
  await press('Send test')(page);
  await page
    .getByRole('status')
    .getByText(/^\s*HTTP 2\d\d$/)
    .waitFor({ timeout: 30_000 });
};

const untilDrawn = async (page: Page): Promise<void> => {
  await page.getByRole('img', { name: /read in/ }).waitFor({ timeout: 30_000 });
};

const forJobs = (home: string, { running, succeeded, failed }: ShownJobs): readonly Shot[] => [
  { name: 'jobs', title: 'Jobs', who: 'admin', path: `${home}/jobs` },
  {
    name: 'jobs-found',
    title: 'Jobs that failed',
    who: 'admin',
    path: `${home}/jobs?q=orders&state=Failed`,
  },
  {
    name: 'job-running',
    title: 'A running job',
    who: 'admin',
    path: `${home}/jobs/${running}`,
    act: untilDrawn,
  },
  {
    name: 'job-succeeded',
    title: 'A job that succeeded',
    who: 'admin',
    path: `${home}/jobs/${succeeded}?log=last`,
  },
  { name: 'job-failed', title: 'A job that failed', who: 'admin', path: `${home}/jobs/${failed}` },
  {
    name: 'job-viewed',
    title: 'The same for a user who can only view',
    who: 'viewer',
    path: `${home}/jobs/${failed}`,
  },
];

const forBuckets = (home: string, bucketName: string): readonly Shot[] => [
  {
    name: 'bucket',
    title: 'A bucket after a test',
    who: 'admin',
    path: `${home}/buckets/s3/${bucketName}`,
    act: testBucket,
  },
  {
    name: 'bucket-refused',
    title: 'A bucket whose test failed',
    who: 'admin',
    path: `${home}/buckets/s3/press-kit`,
    act: testBucket,
  },
  { name: 'buckets', title: 'Buckets', who: 'admin', path: `${home}/buckets` },
  {
    name: 'buckets-viewed',
    title: 'Buckets for a user who can only view',
    who: 'viewer',
    path: `${home}/buckets`,
  },
  {
    name: 'new-bucket-s3',
    title: 'A new bucket, with form errors',
    who: 'admin',
    path: `${home}/new-bucket`,
    act: press('Save and test'),
  },
  {
    name: 'new-bucket-r2',
    title: 'A new R2 bucket',
    who: 'admin',
    path: `${home}/new-bucket`,
    act: (page) => page.getByLabel('Cloudflare R2').check(),
  },
  {
    name: 'bucket-settings',
    title: 'Editing the settings of a bucket',
    who: 'admin',
    path: `${home}/buckets/s3/${bucketName}/settings`,
  },
  {
    name: 'bucket-credentials',
    title: 'Updating the credentials of a bucket',
    who: 'admin',
    path: `${home}/buckets/s3/${bucketName}/credentials`,
  },
  {
    name: 'bucket-delete',
    title: 'Deleting a bucket that jobs use',
    who: 'admin',
    path: `${home}/buckets/s3/${bucketName}/delete`,
  },
];

const forTokens = (home: string): readonly Shot[] => [
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
    path: `${home}/tokens`,
    act: async (page) => {
      await page.getByRole('link', { name: 'Revoke order service' }).click();
      await page.getByRole('button', { name: 'Revoke token' }).waitFor();
    },
  },
];

const forWebhook = (home: string): readonly Shot[] => [
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
    name: 'webhook-resend',
    title: 'Resending failed deliveries',
    who: 'admin',
    path: `${home}/webhook/resend`,
  },
];

const forSettings = (home: string): readonly Shot[] => [
  { name: 'settings', title: 'Settings of a project', who: 'admin', path: `${home}/settings` },
  {
    name: 'settings-viewed',
    title: 'The same for a user who can only view',
    who: 'viewer',
    path: `${home}/settings`,
  },
  {
    name: 'settings-viewed',
    title: 'The same for a user who can only view',
    who: 'viewer',
    path: `${home}/settings`,
  },
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
    name: 'project-delete',
    title: 'Deleting a project',
    who: 'admin',
    path: `${home}/settings/delete`,
    act: press('Delete project'),
  },
];

/** Every page of the dashboard, in the order of the gallery. */
export const shotsOf = (namespace: string, bucketName: string, jobs: ShownJobs): readonly Shot[] => {
  const home = `/projects/${namespace}`;
  return [
    { name: 'sign-in', title: 'Sign-in', who: 'nobody', path: '/sign-in?why=out' },
    { name: 'projects', title: 'Projects', who: 'admin', path: '/projects' },
    {
      name: 'new-project',
      title: 'A new project',
      who: 'admin',
      path: '/new-project',
      act: async (page) => {
        await page.getByRole('textbox', { name: 'Namespace' }).fill(namespace);
        await press('Create project')(page);
      },
    },
    { name: 'overview', title: 'Overview of a project', who: 'admin', path: home },
    ...forJobs(home, jobs),
    ...forBuckets(home, bucketName),
    ...forTokens(home),
    ...forWebhook(home),
    ...forSettings(home),
    { name: 'first-steps', title: 'First steps', who: 'admin', path: `${home}/first-steps` },
    {
      name: 'first-steps-viewed',
      title: 'The same for a user who can only view',
      who: 'viewer',
      path: `${home}/first-steps`,
    },
    {
      name: 'new-job',
      title: 'A new job, with form errors',
      who: 'admin',
      path: `${home}/new-job`,
      act: async (page) => {
        await page.locator('#urls').fill('https://files.example.com/a.pdf\nftp://files.example.com/b.pdf');
        await page.locator('#key').fill('a.zip');
        await press('Create job')(page);
      },
    },
    {
      name: 'job-not-found',
      title: 'A search for a job that does not exist',
      who: 'viewer',
      path: '/find?id=00000000-0000-4000-8000-000000000000',
    },
    { name: 'not-found', title: 'A page that does not exist', who: 'admin', path: `${home}/nowhere` },
    { name: 'not-allowed', title: 'A page without access', who: 'viewer', path: `${home}/tokens` },
  ];
};
