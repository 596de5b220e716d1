import { expect } from 'chai';
import { findCondition, rfc3339, setCondition } from '#crds/conditions.ts';

const NOON = new Date('2026-01-01T12:00:00.500Z');
const LATER = new Date('2026-01-01T13:00:00Z');

describe('setCondition', () => {
  const accepted = setCondition(
    undefined,
    { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'ok' },
    NOON,
  );

  it('adds a condition with its time in whole seconds', () => {
    expect(accepted).to.deep.equal([
      {
        type: 'Accepted',
        status: 'True',
        reason: 'Accepted',
        message: 'ok',
        lastTransitionTime: '2026-01-01T12:00:00Z',
      },
    ]);
  });

  it('keeps the time if the status does not change', () => {
    const again = setCondition(
      accepted,
      { type: 'Accepted', status: 'True', reason: 'Queued', message: '2' },
      LATER,
    );
    expect(findCondition(again, 'Accepted')).to.include({
      reason: 'Queued',
      lastTransitionTime: rfc3339(NOON),
    });
  });

  it('updates the time when the status changes, and keeps the order', () => {
    const two = setCondition(
      accepted,
      { type: 'Running', status: 'True', reason: 'Running', message: '' },
      NOON,
    );
    const next = setCondition(
      two,
      { type: 'Accepted', status: 'False', reason: 'BucketNotFound', message: '' },
      LATER,
    );
    expect(next.map((condition) => condition.type)).to.deep.equal(['Accepted', 'Running']);
    expect(next[0]?.lastTransitionTime).to.equal('2026-01-01T13:00:00Z');
  });
});
