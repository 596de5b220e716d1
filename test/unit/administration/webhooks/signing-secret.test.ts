import { expect } from 'chai';
import { createAdministration } from '#administration/administration.ts';
import { GROUP_VERSION, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import type { OwnerReference } from '#crds/object-meta.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { RESOURCES, type Secret } from '#runtime/kube/resources.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';

const URL_SET = 'https://hooks.example.com/';

function ownerOf(kind: string, uid: string): OwnerReference {
  return {
    apiVersion: GROUP_VERSION,
    kind,
    name: PROJECT_NAME,
    uid,
  };
}

function start(
  owners: readonly OwnerReference[],
  { spec = {}, more = {} }: { readonly spec?: ZipProject['spec']; readonly more?: Secret['data'] } = {},
) {
  const objects = createObjectsByPath();
  const project = aProject(TEAM, spec);
  objects.put(COLLECTIONS.projects, { ...project, metadata: { ...project.metadata, uid: 'present' } });
  const left: Secret = {
    metadata: { namespace: TEAM, name: WEBHOOK_SECRET_NAME, ownerReferences: owners },
    data: { current: btoa('old'), previous: btoa('older'), url: btoa('https://old.example/'), ...more },
  };
  objects.put(COLLECTIONS.secrets, left);
  const kube = {
    server: 'https://kubernetes.test',
    request: async (request: Parameters<typeof objects.respond>[0]) => objects.respond(request),
    stream: () => Promise.reject(new Error('no stream')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return {
    webhooks: createAdministration({ kube, clock: systemClock }).webhooks(TEAM),
    audit: createAdministration({ kube, clock: systemClock }).webhooks(TEAM, 'audit'),
    stored: () => RESOURCES.secrets.decode(objects.get(`${COLLECTIONS.secrets}/${WEBHOOK_SECRET_NAME}`)),
  };
}

describe('the webhook of a project', () => {
  it('takes the Secret of a deleted project over with a new signing secret, which it shows (UI34)', async () => {
    const { webhooks, stored } = start([ownerOf('ZipProject', 'of-a-deleted-project')]);
    const { secret = '' } = await webhooks.set({ url: URL_SET });
    const { metadata, data } = stored();
    expect(secret).to.match(/^whsec_/);
    expect(data).to.deep.equal({ current: btoa(secret), url: btoa(URL_SET) });
    expect(metadata.ownerReferences?.map(({ uid }) => uid)).to.deep.equal(['present']);
  });

  for (const [what, owners] of Object.entries({
    'of this project': [ownerOf('ZipProject', 'present')],
    'of another tool': [ownerOf('ExternalSecret', 'x')],
    'without an owner': [],
  }))
    it(`keeps the signing secret and the owners of a Secret ${what} (UI34)`, async () => {
      const { webhooks, stored } = start(owners);
      expect((await webhooks.set({ url: URL_SET })).secret).to.equal(undefined);
      const { metadata, data } = stored();
      expect(data).to.deep.include({ current: btoa('old'), previous: btoa('older'), url: btoa(URL_SET) });
      expect(metadata.ownerReferences ?? []).to.deep.equal(owners);
    });

  describe('with a named endpoint whose keys are in the Secret already', () => {
    const more = { 'audit.current': btoa('theirs'), 'audit.previous': btoa('before') };
    const webhook = { url: URL_SET, events: ['COMPLETED'] } as const;

    it('gets a new signing secret if the endpoint was removed meanwhile, which it shows', async () => {
      const { audit, stored } = start([ownerOf('ZipProject', 'present')], { spec: { webhook }, more });
      const { secret = '' } = await audit.set({ url: URL_SET });
      expect(secret).to.match(/^whsec_/);
      expect(stored().data).to.include({ 'audit.current': btoa(secret), current: btoa('old') });
      expect(stored().data).to.not.have.any.keys('audit.previous');
    });

    for (const [what, owner, endpoints] of [
      ['the project has it', ownerOf('ZipProject', 'present'), [{ name: 'audit', events: ['FAILED'] }]],
      ['another tool has made the Secret', ownerOf('ExternalSecret', 'x'), []],
    ] as const)
      it(`keeps it if ${what}`, async () => {
        const { audit, stored } = start([owner], { spec: { webhook: { ...webhook, endpoints } }, more });
        expect((await audit.set({ url: URL_SET })).secret).to.equal(undefined);
        expect(stored().data).to.include(more);
      });

    it('is not changed by a user who adds one with the same name', async () => {
      const endpoints = [{ name: 'audit' }];
      const { audit, stored } = start([], { spec: { webhook: { ...webhook, endpoints } }, more });
      const form = '00000000-0000-4000-8000-000000000001';
      const error: unknown = await audit.set({ url: URL_SET, isNew: true, form }).catch((thrown) => thrown);
      expect(error).to.deep.include({ code: 'AlreadyExists', field: 'endpoint' });
      expect(stored().data).to.include(more).and.not.have.any.keys('audit.url');
    });
  });
});
