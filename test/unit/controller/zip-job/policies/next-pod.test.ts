import { expect } from 'chai';
import { nextPod } from '#controller/zip-job/policies/next-pod.ts';
import { ago, aPod } from '#test/support/builders/objects.ts';

describe('nextPod', () => {
  const attempts = [{ n: 1, podUid: 'uid-a', startedAt: ago(30) }];
  function pod(name: string, seconds: number) {
    return aPod(name, { metadata: { creationTimestamp: ago(seconds) } });
  }
  it('returns the oldest pod without a record', () => {
    expect(nextPod([pod('c', 5), pod('b', 10), pod('a', 30)], attempts)?.metadata.name).to.equal('b');
  });
  it('does not return a pod whose record was dropped', () => {
    const later = [{ ...attempts[0], n: 11, podUid: 'uid-a' }];
    expect(nextPod([pod('old', 60), pod('a', 30)], later)).to.equal(undefined);
    const gone = [...later, { n: 12, podUid: 'uid-gone' }];
    expect(nextPod([pod('old', 60), pod('b', 10)], gone)?.metadata.name).to.equal('b');
  });
  it('returns a pod that is older than the recorded start of the last one, by a clock that was ahead (F26)', () => {
    const ahead = [{ n: 1, podUid: 'uid-a', startedAt: ago(-3600) }];
    expect(nextPod([pod('b', 10), pod('a', 30)], ahead)?.metadata.name).to.equal('b');
  });
});
