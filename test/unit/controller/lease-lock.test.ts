import { expect } from 'chai';
import { microTime } from '../../../controller/lease-lock.ts';

describe('microTime', () => {
  it('has six digits of a second', () => {
    expect(microTime(new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)))).to.equal('2026-01-02T03:04:05.006000Z');
  });
});
