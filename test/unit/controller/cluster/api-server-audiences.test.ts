import { expect } from 'chai';
import { refuseApiServerAudiences } from '#controller/cluster/api-server-audiences.ts';
import { tokenWith } from '#test/support/servers/sts-server.ts';

const OWN = 'https://kubernetes.example';
const ISSUER = 'https://issuer.example/id';

describe('the audiences that the operator allows', () => {
  function refuse(allowed: readonly string[], authorization: string | undefined) {
    return refuseApiServerAudiences(allowed, {
      credentials: () =>
        Promise.resolve({ headers: authorization === undefined ? {} : { authorization }, tls: {} }),
    });
  }
  const bearer = `Bearer ${tokenWith({ aud: [OWN, 'api'], iss: ISSUER })}`;
  async function messageOf(work: Promise<void>): Promise<string> {
    return work.then(
      () => '',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }

  it('may be any that the API server does not accept (X21)', async () => {
    await refuse(['sts.amazonaws.com', 'sts.min.io'], bearer);
  });

  for (const audience of [
    OWN,
    'api',
    ISSUER,
    'https://kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ])
    it(`must not contain ${audience}, which the API server accepts (X21)`, async () => {
      const message = await messageOf(refuse(['sts.amazonaws.com', audience], bearer));
      expect(message).to.contain(`accepts tokens with the audience ${audience}.`);
      expect(message).not.to.contain('CANARY');
    });

  for (const [what, authorization] of [
    ['no token', undefined],
    ['a token without audiences', `Bearer ${tokenWith({ aud: undefined })}`],
    ['a token that is none of a service account', 'Bearer CANARY'],
  ] as const)
    it(`must be empty if the process has ${what}, because those of the API server are not known (X21)`, async () => {
      const message = await messageOf(refuse(['sts.amazonaws.com'], authorization));
      expect(message).to.contain('the audiences of the API server are not known');
      expect(message).not.to.contain('CANARY');
      await refuse([], authorization);
    });
});
