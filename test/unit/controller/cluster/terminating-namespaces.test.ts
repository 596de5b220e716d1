import { expect } from 'chai';
import { createIsNamespaceTerminating } from '#controller/cluster/terminating-namespaces.ts';
import type { Namespace } from '#runtime/kube/resources.ts';
import { createFakeObjects, unreachable } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

function setUp(metadata: { readonly deletionTimestamp?: string } | undefined) {
  const namespaces = createFakeObjects<Namespace>();
  if (metadata) namespaces.put({ metadata: { namespace: '', name: 'a', ...metadata } });
  const clock = createManualClock();
  return { namespaces, clock, ask: createIsNamespaceTerminating({ namespaces: namespaces.client, clock }) };
}

describe('isNamespaceTerminating', () => {
  it('detects a namespace that is being deleted or is gone', async () => {
    expect(await setUp({ deletionTimestamp: '2026-01-01T00:00:00Z' }).ask('a')).to.equal(true);
    expect(await setUp(undefined).ask('a')).to.equal(true);
    expect(await setUp({}).ask('a')).to.equal(false);
  });

  it('shares one request per namespace, and expires a negative result soon', async () => {
    const { namespaces, clock, ask } = setUp({});
    await Promise.all([ask('a'), ask('a')]);
    await ask('a');
    expect(namespaces.calls).to.have.length(1);
    await clock.advance(1_001);
    await ask('a');
    expect(namespaces.calls).to.have.length(2);
  });

  it('does not cache a failure', async () => {
    const { namespaces, ask } = setUp({});
    namespaces.fail(unreachable());
    const failed = await ask('a').then(
      () => false,
      () => true,
    );
    namespaces.fail(undefined);
    expect([failed, await ask('a')]).to.deep.equal([true, false]);
  });
});
