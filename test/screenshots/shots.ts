import type { Page } from 'playwright-core';
import type { ShownJobs } from './fill-project.ts';
import { settingsShots } from './settings-shots.ts';
import { press, type Shot } from './shot.ts';

async function testBucket(page: Page): Promise<void> {
  await press('Test connection')(page);
  await page.locator('[data-live-end] .badge').waitFor({ timeout: 60_000 });
}

async function untilDrawn(page: Page): Promise<void> {
  await page.getByRole('img', { name: /read in/ }).waitFor({ timeout: 30_000 });
}

function forJobs(home: string, { running, succeeded, failed }: ShownJobs): readonly Shot[] {
  return [
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
}

const FAILED_JOBS = '/jobs?state=Failed';

function selectAll(action: 'cancel' | 'run-again') {
  return async (page: Page): Promise<void> => {
    for (const box of await page.locator('.jobs [name="job"]').all()) await box.check();
    await page.locator(`[data-bulk="${action}"]`).click();
  };
}

/** Last, because they create jobs. */
function forManyJobs(home: string): readonly Shot[] {
  return [
    {
      name: 'jobs-cancel',
      title: 'Cancelling several jobs: what will happen',
      who: 'admin',
      path: `${home}/jobs?q=4846`,
      act: selectAll('cancel'),
    },
    {
      name: 'jobs-rerun',
      title: 'Running several jobs again: what will happen',
      who: 'admin',
      path: home + FAILED_JOBS,
      act: selectAll('run-again'),
    },
    {
      name: 'jobs-rerun-result',
      title: 'Running several jobs again: what happened',
      who: 'admin',
      path: home + FAILED_JOBS,
      act: async (page) => {
        await selectAll('run-again')(page);
        await page.getByRole('button', { name: /^Run .* again$/ }).click();
        await page.getByRole('link', { name: 'Back to jobs' }).waitFor();
      },
    },
  ];
}

function forBuckets(home: string, bucketName: string): readonly Shot[] {
  return [
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
      name: 'bucket-files',
      title: 'Whether jobs can read the files of a bucket',
      who: 'admin',
      path: `${home}/buckets/s3/${bucketName}/files`,
    },
    {
      name: 'bucket-delete',
      title: 'Deleting a bucket that jobs use',
      who: 'admin',
      path: `${home}/buckets/s3/${bucketName}/delete`,
    },
  ];
}

/** Every page of the dashboard, in the order of the gallery. */
export function shotsOf(namespace: string, bucketName: string, jobs: ShownJobs): readonly Shot[] {
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
    ...settingsShots(home),
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
    ...forManyJobs(home),
    { name: 'not-allowed', title: 'A page without access', who: 'viewer', path: `${home}/tokens` },
  ];
}
