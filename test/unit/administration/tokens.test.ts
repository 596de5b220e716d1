import { expect } from 'chai';
import { createTokens } from '#administration/tokens.ts';
import { generateToken } from '#crds/api-token.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { MAX_TOKEN_FRESH_MS, TOKEN_LIMIT, type ZipToken } from '#crds/zip-token.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { NAMESPACE } from '#test/support/builders/objects.ts';
import { aProject, aToken } from '#test/support/servers/api-server.ts';

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

describe('create', () => {
  it('refuses a token that the API would not accept, because the project has 500 (N30)', async () => {
    const [store, projects] = [createFakeObjects<ZipToken>(), createFakeObjects<ZipProject>()];
    projects.put(aProject(NAMESPACE));
    for (let n = 0; n < TOKEN_LIMIT - 1; n += 1)
      store.put(aToken(NAMESPACE, generateToken(), { name: `t${n}` }));
    const options = {
      projects: projects.client,
      tokens: store.client,
      clock: createManualClock(),
      whoAmI: async () => undefined,
    };
    const tokens = createTokens(options, NAMESPACE);
    await tokens.create({ name: 'last' });
    const error = await tokens.create({ name: 'more' }).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'Refused');
    expect(error).to.have.property('message').that.contains('has 500 access tokens');
    expect(store.all()).to.have.length(TOKEN_LIMIT);
  });
});
