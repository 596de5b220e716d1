import { expect } from 'chai';
import { afterResponse, enabled, isDisabled } from '#controller/webhook/endpoint.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { EndpointState, ZipProject } from '#crds/zip-project.ts';
import { aZipProject, NOW } from '#test/support/builders/objects.ts';

const url = 'https://hooks.example/secret-path';
const name = DEFAULT_ENDPOINT;
const DAY = 24;

/** The state after responses at these hours from NOW. */
function after(
  responses: readonly (readonly [hours: number, status: number | undefined])[],
  before?: EndpointState,
): EndpointState | undefined {
  return responses.reduce<EndpointState | undefined>((state, [hours, status]) => {
    const now = new Date(NOW.getTime() + hours * 3_600_000);
    const delivery = { at: now.toISOString(), durationMs: 1, ...(status !== undefined && { status }) };
    return afterResponse(state, { endpoint: url, delivery }, { now, disableAfterSeconds: 432_000 });
  }, before);
}

function everyDay(days: number, status: number | undefined) {
  return Array.from({ length: days + 1 }, (_, day) => [day * DAY, status] as const);
}

describe('the endpoint state of a project', () => {
  const cases: readonly {
    name: string;
    responses: readonly (readonly [number, number | undefined])[];
    want: { state: string; reason?: string };
  }[] = [
    {
      name: 'stays Enabled while the receiver returns 2xx',
      responses: everyDay(9, 204),
      want: { state: 'Enabled' },
    },
    {
      name: 'stays Enabled during less than five days of failures',
      responses: everyDay(4, 500),
      want: { state: 'Enabled' },
    },
    {
      name: 'changes to Disabled after five days of only failures',
      responses: everyDay(5, 500),
      want: { state: 'Disabled', reason: 'FailingTooLong' },
    },
    {
      name: 'changes to Disabled after five days without a response',
      responses: everyDay(5, undefined),
      want: { state: 'Disabled', reason: 'FailingTooLong' },
    },
    {
      name: 'restarts the five days after a success',
      responses: [...everyDay(4, 500), [4.5 * DAY, 200], [5 * DAY, 500], [6 * DAY, 500]],
      want: { state: 'Enabled' },
    },
    {
      name: 'treats two failures a week apart as separate outages',
      responses: [
        [0, 500],
        [7 * DAY, 500],
      ],
      want: { state: 'Enabled' },
    },
    {
      name: 'changes to Disabled at the first 410',
      responses: [[0, 410]],
      want: { state: 'Disabled', reason: 'Gone' },
    },
    {
      name: 'stays Disabled after a late success',
      responses: [
        [0, 410],
        [1, 200],
      ],
      want: { state: 'Disabled', reason: 'Gone' },
    },
  ];
  for (const { name, responses, want } of cases)
    it(`${name} (W9, W10)`, () => {
      expect(after(responses)).to.include(want);
    });

  it('changes to Enabled on the request of a user, and restarts the count of failures (W10)', () => {
    const state = enabled(after(everyDay(5, 500)), url, 'n1');
    expect(state).to.include({ state: 'Enabled', enabledNonce: 'n1' });
    expect(state).not.to.have.any.keys('reason', 'failingSince');
    expect(after([[6 * DAY, 500]], state)).to.include({
      state: 'Enabled',
      failingSince: '2026-05-10T12:00:00Z',
    });
  });

  it('does not apply to another URL, and does not reveal its own URL', () => {
    const state = after([[0, 410]]);
    const project: ZipProject = { ...aZipProject(), ...(state && { status: { webhook: state } }) };
    expect([
      isDisabled(project, { name, url }),
      isDisabled(project, { name, url: 'https://other.example' }),
    ]).to.deep.equal([true, false]);
    expect(JSON.stringify(state)).not.to.contain('hooks.example');
  });

  it('records a success at most once a minute', () => {
    const first = after([[0, 200]]);
    expect(after([[0.01, 200]], first)).to.equal(first);
    expect(after([[0.1, 200]], first)).not.to.deep.equal(first);
  });
});
