import { expect } from 'chai';
import { createAdministration } from '#administration/administration.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import type { SetWebhook } from '#administration/webhooks/set-webhook.ts';
import { GROUP_VERSION, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { RESOURCES, type Secret } from '#runtime/kube/resources.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createVersionedObjects } from '#test/support/builders/versioned-objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';

const DEFAULT_URL = 'https://hooks.example.com/';
const SECRET = `${COLLECTIONS.secrets}/${WEBHOOK_SECRET_NAME}`;
const PROJECT = `${COLLECTIONS.projects}/${PROJECT_NAME}`;
const LEFT = { 'audit.current': btoa('theirs'), 'audit.url': btoa('https://former.example/') };
/** More requests than an addition sends. */
const MOST_REQUESTS = 20;

/** Called with the number of a request, from 1. */
type Hook = (request: number) => Promise<void>;
const NOTHING: Hook = () => Promise.resolve();

function aSecret(data: Readonly<Record<string, string>>): Secret {
  const owner = { apiVersion: GROUP_VERSION, kind: 'ZipProject', name: PROJECT_NAME, uid: 'present' };
  return { metadata: { namespace: TEAM, name: WEBHOOK_SECRET_NAME, ownerReferences: [owner] }, data };
}

function start(secret: Readonly<Record<string, string>> | undefined) {
  const objects = createVersionedObjects();
  const project = aProject(TEAM, { webhook: { url: DEFAULT_URL } });
  objects.put(COLLECTIONS.projects, { ...project, metadata: { ...project.metadata, uid: 'present' } });
  if (secret) objects.put(COLLECTIONS.secrets, aSecret(secret));
  /** A user whose requests are observed. */
  function user({
    before = NOTHING,
    after = NOTHING,
    endpoint = 'audit',
  }: {
    readonly before?: Hook;
    readonly after?: Hook;
    readonly endpoint?: string;
  } = {}) {
    let count = 0;
    const kube = {
      server: 'https://kubernetes.test',
      request: async (request: KubeRequest) => {
        count += 1;
        const number = count;
        await before(number);
        const response = objects.respond(request);
        await after(number);
        return response;
      },
      stream: () => Promise.reject(new Error('no stream')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    return createAdministration({ kube, clock: systemClock }).webhooks(TEAM, endpoint);
  }
  return {
    user,
    data: () => RESOURCES.secrets.decode(objects.get(SECRET)).data ?? {},
    project: () => RESOURCES.zipProjects.decode(objects.get(PROJECT)),
  };
}

function formOf(user: 'ada' | 'bob') {
  const form = `00000000-0000-4000-8000-00000000000${user === 'ada' ? 1 : 2}`;
  return { url: `https://${user}.example/`, events: ['FAILED'], form, isNew: true };
}

async function outcomeOf<T>(change: Promise<T>): Promise<T | AdministrationError> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof AdministrationError) return error;
    throw error;
  }
}

function failAt(at: number): Hook {
  const lost = new KubeError('connection reset', { attempt: 'x', code: 'Unreachable' });
  return (number) => (number === at ? Promise.reject(lost) : NOTHING(number));
}

describe('an endpoint that is added', () => {
  for (const [what, secret] of [
    ['without a Secret', undefined],
    ['with keys that a removal with kubectl has left', { current: btoa('first'), ...LEFT }],
  ] as const)
    describe(what, () => {
      it('is that of one user if two add it at once, whichever request of one comes first', async () => {
        let isOverlapping = true;
        for (let at = 1; isOverlapping; at += 1) {
          expect(at).to.be.below(MOST_REQUESTS);
          const world = start(secret);
          let bob: SetWebhook | AdministrationError | undefined;
          const ada = await outcomeOf(
            world
              .user({
                before: async (number) => {
                  if (number === at) bob = await outcomeOf(world.user().set(formOf('bob')));
                },
              })
              .set(formOf('ada')),
          );
          isOverlapping = bob !== undefined;
          const [winner, loser, name] =
            bob === undefined || bob instanceof AdministrationError
              ? ([ada, bob, 'ada'] as const)
              : ([bob, ada, 'bob'] as const);
          if (isOverlapping)
            expect(loser, `at ${at}`).to.include({ code: 'AlreadyExists', field: 'endpoint' });
          if (winner instanceof AdministrationError) throw winner;
          expect(world.data(), `at ${at}`).to.include({
            'audit.current': btoa(winner.secret ?? ''),
            'audit.url': btoa(`https://${name}.example/`),
          });
          expect(world.project().spec.webhook?.endpoints).to.deep.equal([
            { name: 'audit', events: ['FAILED'] },
          ]);
        }
      });

      for (const moment of ['before', 'after'] as const)
        it(`is complete when the form is sent again, whichever request failed ${moment} it had an effect`, async () => {
          let hasFailed = true;
          for (let at = 1; hasFailed; at += 1) {
            expect(at).to.be.below(MOST_REQUESTS);
            const world = start(secret);
            const first = await outcomeOf(world.user({ [moment]: failAt(at) }).set(formOf('ada')));
            hasFailed = first instanceof AdministrationError;
            const again = await world.user().set(formOf('ada'));
            expect(world.data(), `at ${at}`).to.include({
              'audit.current': btoa(again.secret ?? ''),
              'audit.url': btoa('https://ada.example/'),
            });
            const { spec, metadata } = world.project();
            expect(spec.webhook?.endpoints).to.deep.equal([{ name: 'audit', events: ['FAILED'] }]);
            expect(Object.keys(metadata.annotations ?? {})).to.not.include(
              'zipjobs.dev/endpoint-added-by-form.audit',
            );
          }
        });
    });
});

describe('an endpoint that is removed', () => {
  for (const moment of ['before', 'after'] as const)
    it(`is gone when the removal is repeated, whichever request failed ${moment} it had an effect`, async () => {
      let hasFailed = true;
      for (let at = 1; hasFailed; at += 1) {
        expect(at).to.be.below(MOST_REQUESTS);
        const world = start({ current: btoa('first') });
        await world.user().set(formOf('ada'));
        await world.user().beginTest();
        const first = await outcomeOf(world.user({ [moment]: failAt(at) }).remove({ withSecret: false }));
        hasFailed = first instanceof AdministrationError;
        const isDone = Object.keys(world.data()).length === 1;
        const again = hasFailed ? await outcomeOf(world.user().remove({ withSecret: false })) : first;
        if (again instanceof AdministrationError)
          expect([again.code, isDone], `at ${at}`).to.deep.equal(['NotFound', true]);
        expect(world.data(), `at ${at}`).to.deep.equal({ current: btoa('first') });
        const { spec, metadata } = world.project();
        expect([spec.webhook, metadata.annotations ?? {}], `at ${at}`).to.deep.equal([
          { url: DEFAULT_URL },
          {},
        ]);
      }
    });

  it('stays if it is added while the default one is removed', async () => {
    let isOverlapping = true;
    for (let at = 1; isOverlapping; at += 1) {
      expect(at).to.be.below(MOST_REQUESTS);
      const world = start({ current: btoa('first') });
      let bob: SetWebhook | AdministrationError | undefined;
      async function before(number: number): Promise<void> {
        if (number === at) bob = await outcomeOf(world.user().set(formOf('bob')));
      }
      const ada = await outcomeOf(
        world.user({ before, endpoint: DEFAULT_ENDPOINT }).remove({ withSecret: true }),
      );
      isOverlapping = bob !== undefined;
      const wasAdded = isOverlapping && !(bob instanceof AdministrationError);
      expect(ada instanceof AdministrationError, `at ${at}`).to.equal(wasAdded);
      expect(world.project().spec.webhook?.endpoints?.length ?? 0, `at ${at}`).to.equal(wasAdded ? 1 : 0);
    }
  });

  it('leaves the keys of one that is added again before its removal has ended', async () => {
    let isOverlapping = true;
    for (let at = 1; isOverlapping; at += 1) {
      expect(at).to.be.below(MOST_REQUESTS);
      const world = start({ current: btoa('first') });
      await world.user().set(formOf('ada'));
      let bob: SetWebhook | AdministrationError | undefined;
      async function before(number: number): Promise<void> {
        if (number === at) bob = await outcomeOf(world.user().set(formOf('bob')));
      }
      await world.user({ before }).remove({ withSecret: false });
      isOverlapping = bob !== undefined;
      const added = bob instanceof AdministrationError ? undefined : bob?.secret;
      expect(world.data()['audit.current'], `at ${at}`).to.equal(added && btoa(added));
    }
  });
});
