import { expect } from 'chai';
import { nextPod } from '#controller/zip-job/policies/next-pod.ts';
import { ago, aPod } from '#test/support/builders/objects.ts';

describe('nextPod', () => {
  const attempts = [{ n: 1, podUid: 'uid-a', startedAt: ago(30) }];
  const pod = (name: string, seconds: number) =>
    aPod(name, { metadata: { creationTimestamp: ago(seconds) } });
  it('returns the oldest pod without a record', () => {
    expect(nextPod([pod('c', 5), pod('b', 10), pod('a', 30)], attempts)?.metadata.name).to.equal('b');
  });
  it('does not return a pod whose record was dropped', () => {
    expect(nextPod([pod('old', 60), pod('a', 30)], attempts)).to.equal(undefined);
  });
});
