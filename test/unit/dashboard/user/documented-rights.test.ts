import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BUCKET_RIGHTS } from '#dashboard/buckets/bucket-rights.ts';
import { CHANGE_JOB, CREATE_JOB } from '#dashboard/jobs/job-actions.ts';
import { NEW_JOB_RIGHTS } from '#dashboard/new-job/job-rules.ts';
import { SETTINGS_RIGHTS } from '#dashboard/settings/settings-rights.ts';
import { TOKEN_RIGHTS } from '#dashboard/tokens/token-rights.ts';
import type { Question } from '#dashboard/user/access.ts';
import { WEBHOOK_RIGHTS } from '#dashboard/webhook/webhook-rights.ts';

/** Actions of the table in docs/dashboard.md, and the rights that their pages ask for. */
const ACTIONS: Readonly<Record<string, readonly Question[]>> = {
  'cancel jobs, resend the webhook of a job on its page': [CHANGE_JOB],
  'resend webhooks on the page *Webhook*': WEBHOOK_RIGHTS.resend,
  'run a job again': [CREATE_JOB],
  'create a job or a test archive': NEW_JOB_RIGHTS,
  'add a bucket': [...BUCKET_RIGHTS.add, ...BUCKET_RIGHTS.storeKeys],
  'update the credentials of a bucket': [...BUCKET_RIGHTS.setCredentials, ...BUCKET_RIGHTS.storeKeys],
  'delete a bucket': BUCKET_RIGHTS.delete,
  'manage access tokens': [...TOKEN_RIGHTS.create, ...TOKEN_RIGHTS.revoke],
  'set the webhook, add or change an endpoint': WEBHOOK_RIGHTS.set,
  'test, enable or disable an endpoint': WEBHOOK_RIGHTS.change,
  'rotate the secret of an endpoint': WEBHOOK_RIGHTS.rotate,
  'remove the webhook': WEBHOOK_RIGHTS.remove,
  'remove an endpoint other than the default one': WEBHOOK_RIGHTS.removeEndpoint,
  'change settings': SETTINGS_RIGHTS.change,
  'list who has access': SETTINGS_RIGHTS.access,
  'delete a project': SETTINGS_RIGHTS.delete,
  'delete a project with its access tokens': SETTINGS_RIGHTS.deleteTokens,
  'delete a project with its buckets': SETTINGS_RIGHTS.deleteBuckets,
};

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** `get jobs` for each right of a text like "`get` and `list` on `jobs`, `patch` on `secrets`". */
function rightsIn(text: string): readonly string[] {
  return text.split(/(?<=` on [^,]*), /).flatMap((part) => {
    const [verbs = '', ...resources] = part.split(' on ');
    return namesIn(resources.join(' ')).flatMap((resource) =>
      namesIn(verbs).map((verb) => `${verb} ${resource}`),
    );
  });
}

describe('the rights in docs/dashboard.md', () => {
  const rows = new Map(
    [...readFileSync('docs/dashboard.md', 'utf8').matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].map(
      ([, action = '', rights = '']) => [action, rights],
    ),
  );

  for (const [action, questions] of Object.entries(ACTIONS))
    it(`are those that the dashboard asks for: ${action}`, () => {
      expect(rightsIn(rows.get(action) ?? '')).to.have.members(
        questions.map(({ verb, resource }) => `${verb} ${resource}`),
      );
    });
});
