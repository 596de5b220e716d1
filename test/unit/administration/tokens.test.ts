import { expect } from 'chai';
import { createTokens } from '#administration/tokens.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { MAX_TOKEN_FRESH_MS, type ZipToken } from '#crds/zip-token.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { NAMESPACE } from '#test/support/builders/objects.ts';
import { aToken } from '#test/support/servers/api-server.ts';

describe('revoke', () => {
  it('returns when no API process can accept the deleted token any more (H11)', async () => {
    const store = createFakeObjects<ZipToken>();
    const clock = createManualClock();
    const token = aToken(NAMESPACE, 'zip_value');
    store.put(token);
    const tokens = createTokens(
      {
        projects: createFakeObjects<ZipProject>().client,
        tokens: store.client,
        clock,
        whoAmI: async () => undefined,
      },
      NAMESPACE,
    );
    let hasReturned = false;
    const revoked = tokens.revoke(token.metadata.name).then(() => {
      hasReturned = true;
    });
    await clock.advance(MAX_TOKEN_FRESH_MS - 1);
    expect({ left: store.all(), hasReturned }).to.deep.equal({ left: [], hasReturned: false });
    await clock.advance(1);
    await revoked;
    expect(hasReturned).to.equal(true);
  });
});
