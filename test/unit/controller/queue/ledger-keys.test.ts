import { expect } from 'chai';
import { holdStarted } from '#controller/queue/hold-started.ts';
import { GROUP_VERSION } from '#crds/api-group.ts';
import { objectKey as keyOf } from '#runtime/kube/types.ts';
import { aJob } from '#test/support/builders/objects.ts';
import { end, queuedJob as job } from '#test/support/builders/queued-jobs.ts';
import { setUp } from './ledger-setup.ts';

describe('the ledger', () => {
  describe('for two jobs of one key', () => {
    const [first, second] = [job('first', { key: 'k' }), job('second', { key: 'k', age: 1 })];

    it('keeps one active at a time, and reserves for the other when the key is free', () => {
      const { ledger, reserved, reserve } = setUp();
      expect(reserve(first, second, second)).to.deep.equal(['reserved', 'waiting', 'waiting']);
      expect(ledger.position(second).blocked).to.deep.equal({
        reason: 'OlderJobFirst',
        message: 'job first writes the same key of the same bucket and runs first',
      });
      ledger.hold(first);
      expect(ledger.position(first)).to.deep.equal({ state: 'running' });
      end(ledger, first);
      expect(reserved).to.deep.equal([keyOf(second)]);
    });

    it('serves other jobs while one waits for its key', () => {
      const { reserve } = setUp();
      expect(reserve(first, second, job('other', { age: 0 }))).to.deep.equal([
        'reserved',
        'waiting',
        'reserved',
      ]);
    });

    it('keeps one active at a time in a trusted queue too', () => {
      const { ledger, reserved, reserve } = setUp({ inAll: 1 });
      const elsewhere = { ...second, spec: { ...second.spec, queueName: 'night' } };
      expect(reserve(first, elsewhere)).to.deep.equal(['reserved', 'waiting']);
      end(ledger, first);
      expect(reserved).to.deep.equal([keyOf(second)]);
    });

    it('counts a job as active if only its Job is known', () => {
      const { ledger, reserve } = setUp();
      function jobOf(uid: string) {
        return aJob({
          metadata: {
            name: 'second',
            namespace: 'a',
            ownerReferences: [
              { apiVersion: GROUP_VERSION, kind: 'ZipJob', name: 'second', uid, controller: true },
            ],
          },
        });
      }
      holdStarted(ledger, second, jobOf('uid-earlier'));
      expect(ledger.position(second).state).to.equal('none');
      holdStarted(ledger, { ...second, status: { phase: 'Failed' } }, jobOf('uid-second'));
      holdStarted(ledger, second, jobOf('uid-second'));
      expect(ledger.position(second).state).to.equal('running');
      expect(reserve(first)).to.deep.equal(['waiting']);
    });
  });
});
