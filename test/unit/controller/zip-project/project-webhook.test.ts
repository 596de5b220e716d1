import { expect } from 'chai';
import type { DeliveryState } from '#controller/webhook/dispatcher.ts';
import { createEndpointNotes } from '#controller/webhook/endpoint-notes.ts';
import { createPlanTest, projectOfTest } from '#controller/webhook/test-event.ts';
import type { ProjectObservation } from '#controller/zip-project/observation.ts';
import { type ProjectWebhook, projectWebhook } from '#controller/zip-project/project-webhook.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import {
  type EndpointState,
  endpointDigest,
  endpointOf,
  type ProjectWebhookState,
  type ZipProject,
} from '#crds/zip-project.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago, aZipProject, NAMESPACE, NOW } from '#test/support/builders/objects.ts';

const url = 'https://hooks.example/a';
const SECRET_URL = 'https://secret.example/T0/canary';
const name = DEFAULT_ENDPOINT;
const KEY = `${NAMESPACE}/project`;

function aProject(annotations: Readonly<Record<string, string>>, webhook?: ProjectWebhookState): ZipProject {
  return {
    ...aZipProject(),
    metadata: { ...aZipProject().metadata, annotations },
    spec: { webhook: { url } },
    ...(webhook && { status: { webhook } }),
  };
}

/** A project without deliveries and commands, with these changes. */
function judge(
  project: ZipProject,
  { test, ...change }: Partial<Pick<ProjectObservation, 'responses'>> & { test?: DeliveryState } = {},
): ProjectWebhook {
  const tests = new Map(test ? [[name, test]] : []);
  return projectWebhook({ project, children: [], responses: [], tests, ...change }, NOW, {
    webhookDisableAfterSeconds: 432_000,
  });
}

describe('projectWebhook', () => {
  it('has only the host of an endpoint without deliveries', () => {
    expect(judge(aProject({}))).to.deep.equal({ state: { host: 'hooks.example' }, actions: [] });
  });

  const asked = aProject({ 'zipjobs.dev/test-webhook': 't1' });
  const delivery = { at: ago(0), durationMs: 4, status: 204 };

  it('sends a requested test event once, and records its result', () => {
    const send = { kind: 'sendTest', nonce: 't1', endpoint: name };
    expect(judge(asked)).to.deep.equal({ state: { host: 'hooks.example' }, actions: [send] });
    expect(judge(asked, { test: { kind: 'stale' } }).actions).to.deep.equal([
      { kind: 'acknowledgeTest', endpoint: name },
      send,
    ]);
    expect(judge(asked, { test: { kind: 'inFlight' } }).actions).to.deep.equal([]);
    const responded = judge(asked, { test: { kind: 'responded', response: { delivery } } });
    expect(responded).to.deep.equal({
      state: { host: 'hooks.example', test: { nonce: 't1', ...delivery } },
      actions: [],
    });
  });

  it('keeps the result of a test until it is in the cached status, so that the event is not sent again', () => {
    const written = aProject({ 'zipjobs.dev/test-webhook': 't1' }, { test: { nonce: 't1', ...delivery } });
    expect(judge(written, { test: { kind: 'stale' } }).actions).to.deep.equal([
      { kind: 'acknowledgeTest', endpoint: name },
    ]);
    expect(judge(written).actions).to.deep.equal([]);
  });

  it('plans a signed test event', async () => {
    const bodies: unknown[] = [];
    const planTest = createPlanTest({
      deliver: (sent) => {
        bodies.push([sent.id, sent.body, sent.keys.length, sent.url]);
        return Promise.resolve({ delivery });
      },
      readWebhookSecret: () => Promise.resolve({ keys: [Buffer.alloc(32)], url: SECRET_URL }),
      clock: createManualClock(),
    });
    const task = planTest(asked, name, 't1');
    await task.send(new AbortController().signal);
    const inSecret = { ...asked, spec: { webhook: {} } };
    await planTest(inSecret, name, 't1').send(new AbortController().signal);
    const body = `{"type":"TEST","project":"${NAMESPACE}"}`;
    expect(bodies).to.deep.equal([
      [task.attemptId, body, 1, url],
      [task.attemptId, body, 1, SECRET_URL],
    ]);
    expect(planTest(inSecret, name, 't1').endpoint).to.not.contain('hooks');
    expect(projectOfTest(task.key)).to.equal(KEY);
  });

  it('reports that there is no webhook to test', () => {
    const { state, actions } = judge({ ...asked, spec: {} });
    expect(state?.test).to.include({ nonce: 't1', error: 'not-configured' });
    expect(actions).to.deep.equal([]);
  });

  it('records the responses of its own URL, and drops them once they are in the status (W9)', () => {
    const woken: string[] = [];
    const notes = createEndpointNotes((key) => woken.push(key));
    const gone = { at: ago(0), durationMs: 1, status: 410 };
    notes.add(NAMESPACE, { name, endpoint: 'https://an.old.one', delivery: gone });
    const responses = notes.of(NAMESPACE);
    const forget = { kind: 'forgetResponses', responses };
    expect(judge(aProject({}), { responses })).to.deep.equal({
      state: { host: 'hooks.example' },
      actions: [forget],
    });
    notes.add(NAMESPACE, { name, endpoint: url, delivery: gone });
    const { state } = judge(aProject({}), { responses: notes.of(NAMESPACE) });
    expect(state).to.include({ state: 'Disabled', reason: 'Gone' });
    expect(woken).to.deep.equal([KEY, KEY]);
    notes.written(NAMESPACE, responses);
    expect(notes.of(NAMESPACE)).to.deep.equal([{ name, endpoint: url, delivery: gone }]);
    notes.forget(NAMESPACE);
    expect(notes.of(NAMESPACE)).to.deep.equal([]);
    const enable = { 'zipjobs.dev/enable-webhook': 'e1' };
    const next = judge(aProject(enable, state)).state;
    expect(next).to.include({ state: 'Enabled', enabledNonce: 'e1' });
    expect(judge(aProject(enable, next)).state).to.equal(next);
  });

  it('leaves out a host that is too long for the status (N15)', () => {
    const long = { ...aProject({}), spec: { webhook: { url: `https://${'a.'.repeat(300)}example/` } } };
    expect(judge(long).state).to.equal(undefined);
  });

  it('learns the host of a URL in the Secret from its deliveries, and forgets it with the URL (N15)', () => {
    function inSecret(annotations: Readonly<Record<string, string>>, state?: EndpointState): ZipProject {
      return {
        ...aProject(annotations, state),
        spec: { webhook: {} },
      };
    }
    expect(judge(inSecret({})).state).to.equal(undefined);
    const endpoint = endpointOf({});
    const responses = [{ name, endpoint, host: 'secret.example', delivery: { ...delivery, status: 410 } }];
    const { state } = judge(inSecret({}), { responses });
    expect(state).to.include({
      host: 'secret.example',
      state: 'Disabled',
      endpoint: endpointDigest(endpoint),
    });
    const next = judge(inSecret({ 'zipjobs.dev/enable-webhook': 'e1' }, state)).state;
    expect(next).to.include({ state: 'Enabled', enabledNonce: 'e1' }).and.not.have.property('host');
    const removed = judge({ ...inSecret({}, state), spec: {} }).state;
    expect(removed).to.not.have.property('host');
  });
});

describe('projectWebhook with several endpoints', () => {
  const delivery = { at: ago(0), durationMs: 4, status: 204 };
  const gone = { ...delivery, status: 410 };
  function aProjectWith(
    annotations: Readonly<Record<string, string>>,
    states: ProjectWebhookState['endpoints'] = [],
  ): ZipProject {
    const project = aProject(annotations, { endpoints: states });
    return {
      ...project,
      spec: { webhook: { url, endpoints: [{ name: 'audit', url }, { name: 'search' }] } },
    };
  }
  function next(
    project: ZipProject,
    change: Partial<Pick<ProjectObservation, 'responses' | 'tests'>>,
  ): ProjectWebhook {
    const seen = { project, children: [], responses: [], tests: new Map(), ...change };
    return projectWebhook(seen, NOW, { webhookDisableAfterSeconds: 432_000 });
  }

  it('has a state for each, and enables only the one that the command names (W9, W10)', () => {
    const responses = [
      { name: 'audit', endpoint: url, delivery: gone },
      { name: 'search', endpoint: endpointOf({ name: 'search' }), host: 's.example', delivery: gone },
      { name: 'removed', endpoint: url, delivery: gone },
    ];
    const { state } = next(aProjectWith({}), { responses });
    expect(state).to.include({ host: 'hooks.example' }).and.not.have.any.keys('state', 'reason', 'name');
    expect(state?.endpoints?.map((one) => [one.name, one.host, one.state])).to.deep.equal([
      ['audit', 'hooks.example', 'Disabled'],
      ['search', 's.example', 'Disabled'],
    ]);
    const annotations = { 'zipjobs.dev/enable-webhook.audit': 'e1' };
    const enabled = next(aProjectWith(annotations, state?.endpoints), {}).state;
    expect(enabled?.endpoints?.map((one) => one.state)).to.deep.equal(['Enabled', 'Disabled']);
    expect(enabled).to.deep.equal(next(aProjectWith(annotations, enabled?.endpoints), {}).state);
  });

  it('tests the one that the command names', () => {
    const asked = aProjectWith({ 'zipjobs.dev/test-webhook.search': 't1' });
    expect(next(asked, {}).actions).to.deep.equal([{ kind: 'sendTest', nonce: 't1', endpoint: 'search' }]);
    const response = { delivery, host: 's.example' };
    const { state, actions } = next(asked, {
      tests: new Map([['search', { kind: 'responded', response }]]),
    });
    expect(state?.endpoints?.at(-1)).to.deep.equal({
      name: 'search',
      host: 's.example',
      test: { nonce: 't1', ...delivery },
    });
    expect(actions).to.deep.equal([]);
  });

  it('forgets the state and the test of one that was removed', () => {
    const before = [{ name: 'removed', state: 'Disabled', reason: 'Gone' }] as const;
    const { state, actions } = next(aProjectWith({}, before), {
      tests: new Map([['removed', { kind: 'responded', response: { delivery } }]]),
    });
    expect(state?.endpoints?.map((one) => one.name)).to.deep.equal(['audit']);
    expect(actions).to.deep.equal([{ kind: 'acknowledgeTest', endpoint: 'removed' }]);
  });

  it('executes a command once, also if its endpoint is removed and added again', () => {
    const commands = { 'zipjobs.dev/test-webhook.audit': 't1', 'zipjobs.dev/enable-webhook.audit': 'e1' };
    const executed = { enabledNonce: 'e1', test: { nonce: 't1', ...delivery } };
    const before = { name: 'audit', host: 'hooks.example', state: 'Disabled', ...executed } as const;
    const project = aProjectWith(commands, [before]);
    const without = { ...project, spec: { webhook: { url } } };
    const removed = next(without, {});
    expect(removed.state?.endpoints).to.deep.equal([{ name: 'audit', ...executed }]);
    const again = next(aProjectWith(commands, removed.state?.endpoints), {});
    expect(again.state?.endpoints).to.deep.equal([{ name: 'audit', host: 'hooks.example', ...executed }]);
    expect(again.actions).to.deep.equal([]);
    const asked = aProjectWith({ 'zipjobs.dev/test-webhook.audit': 't2' }, removed.state?.endpoints);
    expect(next(asked, {}).actions).to.deep.equal([{ kind: 'sendTest', nonce: 't2', endpoint: 'audit' }]);
  });

  it('keeps the state of each endpoint, and commands of removed ones while the status has room', () => {
    const test = { nonce: 't1', ...delivery };
    const states = ['a', 'b', 'c', 'd'].map((name) => ({ name, test }));
    const { state } = next(aProjectWith({}, states), {});
    expect(state?.endpoints?.map((one) => one.name)).to.deep.equal(['audit', 'a', 'b', 'c']);
  });
});
