import { expect } from 'chai';
import { findQuotaRefusal, quotaText } from '#runtime/kube/quota-refusal.ts';

describe('findQuotaRefusal', () => {
  it('reads the quota and its numbers from the message of the API server (X38)', () => {
    const said =
      'pods "a-b" is forbidden: exceeded quota: all, requested: count/pods=1,requests.cpu=500m, used: count/pods=3,requests.cpu=1700m, limited: count/pods=3,requests.cpu=2';
    const refusal = findQuotaRefusal(said);
    expect(refusal).to.deep.equal({
      name: 'all',
      exceeded: [
        { resource: 'count/pods', requested: '1', used: '3', hard: '3' },
        { resource: 'requests.cpu', requested: '500m', used: '1700m', hard: '2' },
      ],
    });
    expect(refusal && quotaText(refusal)).to.equal(
      'ResourceQuota "all" has no room: count/pods: 1 requested, 3 used, 3 allowed; requests.cpu: 500m requested, 1700m used, 2 allowed',
    );
  });

  it('finds none where a quota only demands a field, or another plugin refuses (X38)', () => {
    for (const said of [
      'pods "a" is forbidden: failed quota: compute: must specify limits.cpu for: zipper',
      'jobs.batch "a" is forbidden: admission webhook "x" denied the request: exceeded quota',
    ])
      expect(findQuotaRefusal(said)).to.equal(undefined);
  });
});
