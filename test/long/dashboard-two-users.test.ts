/** Two users in two browsers open the same form, and the second saves after the first. With a real API server. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { GROUP_VERSION } from '#crds/api-group.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { requireBrowser } from '#test/support/processes/require-programs.ts';
import {
  type DashboardDesk,
  type OpenPage,
  startDashboardDesk,
} from '#test/support/worlds/dashboard-desk.ts';
import {
  EDITING_FORMS,
  type EditingForm,
  type Input,
  KEYS_BUCKET,
  ROLE,
  ROLE_BUCKET,
  type StoredPart,
} from '#test/support/worlds/editing-forms.ts';
import { applyObjects } from '#test/support/worlds/project.ts';

const NAMESPACE = 'dashboard-two-users';

function bucket(bucketName: string, spec: object = {}) {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipBucket',
    metadata: { namespace: NAMESPACE, name: `s3-${bucketName}` },
    spec: { service: 's3', bucketName, region: 'eu-central-1', objectOptions: {}, ...spec },
  };
}

const OBJECTS = [
  bucket(KEYS_BUCKET),
  bucket(ROLE_BUCKET, { credentials: { webIdentity: ROLE } }),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: NAMESPACE, name: `zipbucket-s3-${KEYS_BUCKET}` },
    stringData: { accessKeyId: 'AKIABEFORE', secretAccessKey: 'before-secret' },
  },
];

function pathOf({ route, bucket: name = '', endpoint = '' }: EditingForm): string {
  return route
    .replace(':project', NAMESPACE)
    .replace(':service', 's3')
    .replace(':bucket', name)
    .replace(':endpoint', endpoint);
}

/** Of one page at a time. */
async function enter(page: Page, input: Input): Promise<void> {
  for (const [id, value] of Object.entries(input)) {
    const field = page.locator(`[id="${id}"]`);
    if (typeof value === 'boolean') await field.setChecked(value);
    else if ((await field.evaluate(({ tagName }) => tagName)) === 'SELECT') await field.selectOption(value);
    else await field.fill(value);
  }
}

async function entered(page: Page, input: Input): Promise<Input> {
  async function read([id, value]: readonly [string, string | boolean]) {
    const field = page.locator(`[id="${id}"]`);
    return [id, await (typeof value === 'boolean' ? field.isChecked() : field.inputValue())] as const;
  }
  return Object.fromEntries(await Promise.all(Object.entries(input).map(read)));
}

function save(page: Page): Promise<void> {
  return page.getByRole('button', { name: /^Save/ }).click();
}

function untilSaved(page: Page): Promise<void> {
  return page.getByText(/ saved\b|Credentials updated/).waitFor();
}

describe('two users who edit the same form at once', function () {
  this.timeout(180_000);
  const started = new AsyncDisposableStack();
  let desk: DashboardDesk;
  let pages: readonly OpenPage[];
  before(async function () {
    await requireBrowser(this);
    desk = started.use(await startDashboardDesk(NAMESPACE));
    await applyObjects(desk.flow.cluster, OBJECTS);
    async function openAs(account: string): Promise<OpenPage> {
      return started.use(await desk.openAs(await desk.addUser(account, 'admin')));
    }
    pages = [await openAs('ada'), await openAs('bob')];
  });
  after(() => started.disposeAsync());

  async function valueOf({ object, part }: StoredPart): Promise<unknown> {
    const stored: unknown = JSON.parse(await desk.flow.kubectl('get', object, '-o', 'json'));
    return part
      .slice(1)
      .split('/')
      .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), stored);
  }
  function put({ object, part, before }: StoredPart): Promise<string> {
    const patch = JSON.stringify([{ op: 'add', path: part, value: before }]);
    return desk.flow.kubectl('patch', object, '--type=json', '-p', patch);
  }

  for (const form of EDITING_FORMS) {
    const { what, first, second, says, secrets, stored } = form;
    const ID = what.includes('webhook') ? 'UI43' : 'UI1';
    it(`lose no change of ${what} without a word (${ID})`, async () => {
      const [ada, bob] = pages.map(({ page }) => page) as [Page, Page];
      await Promise.all(stored.map(put));
      await Promise.all([ada, bob].map((page) => page.goto(pathOf(form))));
      await enter(ada, first);
      await enter(bob, second);
      await save(ada);
      await untilSaved(ada);
      await save(bob);
      await bob.getByRole('alert').getByText('Someone else changed these settings').waitFor();
      for (const [id, text] of Object.entries(says))
        expect(await bob.locator(`[id="${id}-error"]`).textContent()).to.contain(text);
      expect(await Promise.all(stored.map(valueOf))).to.deep.equal(stored.map((part) => part.first));
      if (secrets) await enter(bob, second);
      expect(await entered(bob, second)).to.deep.equal(second);
      await save(bob);
      await untilSaved(bob);
      expect(await Promise.all(stored.map(valueOf))).to.deep.equal(stored.map((part) => part.second));
      expect(pages.flatMap(({ complaints }) => complaints)).to.deep.equal([]);
    });
  }
});
