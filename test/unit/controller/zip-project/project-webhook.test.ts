import { expect } from 'chai';
import type { DeliveryState, DeliveryTask } from '#controller/webhook/dispatcher.ts';
import { createEndpointNotes } from '#controller/webhook/endpoint-notes.ts';
import { createPlanTest, projectOfTest } from '#controller/webhook/test-event.ts';
import { projectWebhook } from '#controller/zip-project/project-webhook.ts';
import type { EndpointState, ZipProject } from '#crds/zip-project.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago, aZipProject, NAMESPACE } from '#test/support/builders/objects.ts';

const url = 'https://hooks.example/a';
const KEY = `${NAMESPACE}/project`;

const aProject = (annotations: Readonly<Record<string, string>>, webhook?: EndpointState): ZipProject => ({
  ...aZipProject(),
  metadata: { ...aZipProject().metadata, annotations },
  spec: { webhook: { url } },
  ...(webhook && { status: { webhook } }),
});

const setUp = (response: DeliveryState = { kind: 'idle' }) => {
  const clock = createManualClock();
  const sent: DeliveryTask[] = [];
  const finished: string[] = [];
  const woken: string[] = [];
  const bodies: unknown[] = [];
  const notes = createEndpointNotes((key) => {
    woken.push(key);
  });
  const planTest = createPlanTest({
    deliver: ({ id, body, keys }) => {
      bodies.push([id, body, keys.length]);
      return Promise.resolve({ delivery: { at: ago(0), durationMs: 4, status: 204 } });
    },
    readSigningKeys: () => Promise.resolve([Buffer.alloc(32)]),
    clock,
  });
  const options = {
    notes,
    planTest,
    clock,
    disableAfterSeconds: 432_000,
    dispatcher: {
      submit: (task: DeliveryTask) => {
        sent.push(task);
      },
      state: () => response,
      acknowledge: (key: string) => {
        finished.push(key);
      },
    },
  };
  return {
    ask: (project: ZipProject) => projectWebhook(options, project),
    notes,
    sent,
    finished,
    woken,
    bodies,
  };
};

describe('projectWebhook', () => {
  it('knows nothing of an endpoint that nobody used', () => {
    expect(setUp().ask(aProject({})).state).to.equal(undefined);
  });

  it('sends a signed test event when that is asked for, and tells how it went', async () => {
    const asked = aProject({ 'zipjobs.dev/test-webhook': 't1' });
    const { ask, sent, bodies } = setUp();
    expect(ask(asked).state).to.equal(undefined);
    await sent[0]?.send(new AbortController().signal);
    expect(bodies).to.deep.equal([[sent[0]?.attemptId, `{"type":"TEST","project":"${NAMESPACE}"}`, 1]]);
    expect(projectOfTest(sent[0]?.key ?? '')).to.equal(KEY);
    const delivery = { at: ago(0), durationMs: 4, status: 204 };
    const later = setUp({ kind: 'responded', response: { delivery } });
    const { state, written } = later.ask(asked);
    expect(state?.test).to.deep.equal({ nonce: 't1', ...delivery });
    written();
    expect(later.finished).to.deep.equal([sent[0]?.key]);
    const done = setUp();
    done.ask(aProject({ 'zipjobs.dev/test-webhook': 't1' }, state));
    expect(done.sent).to.deep.equal([]);
  });

  it('says so when there is no webhook to test', () => {
    const { ask, sent } = setUp();
    const { state } = ask({ ...aProject({ 'zipjobs.dev/test-webhook': 't1' }), spec: {} });
    expect(state?.test).to.include({ nonce: 't1', error: 'not-configured' });
    expect(sent).to.deep.equal([]);
  });

  it('takes in the answers of its own URL, and forgets them once they are written (W9)', () => {
    const { ask, notes, woken } = setUp();
    const gone = { at: ago(0), durationMs: 1, status: 410 };
    notes.add(NAMESPACE, { url: 'https://an.old.one', delivery: gone });
    expect(ask(aProject({})).state).to.equal(undefined);
    notes.add(NAMESPACE, { url, delivery: gone });
    const { state, written } = ask(aProject({}));
    expect(state).to.include({ state: 'Disabled', reason: 'Gone' });
    expect(woken).to.deep.equal([KEY, KEY]);
    written();
    expect(notes.of(NAMESPACE)).to.deep.equal([]);
    const enable = { 'zipjobs.dev/enable-webhook': 'e1' };
    const next = ask(aProject(enable, state)).state;
    expect(next).to.include({ state: 'Enabled', enabledNonce: 'e1' });
    expect(ask(aProject(enable, next)).state).to.equal(next);
  });
});
