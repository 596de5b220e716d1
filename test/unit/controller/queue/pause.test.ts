import { expect } from 'chai';
import { createPause } from '#controller/queue/pause.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';

describe('the pause', () => {
  const reported: (string | undefined)[] = [];
  const pause = createPause((reason) => reported.push(reason));
  function see(value?: string) {
    return pause.see({
      metadata: {
        namespace: 'n',
        name: 'l',
        ...(value !== undefined && { annotations: { [ANNOTATIONS.paused]: value } }),
      },
    });
  }

  it('reads the reason from the Lease and reports each change once', () => {
    for (const value of [undefined, 'incident 42', 'incident 42', 'true', 'false', undefined]) see(value);
    expect(reported).to.deep.equal(['incident 42', 'no reason given', undefined]);
    expect(pause.reason).to.equal(undefined);
  });

  it('limits the reason to 200 characters', () => {
    see('x'.repeat(1000));
    expect(pause.reason).to.have.length(200);
  });
});
