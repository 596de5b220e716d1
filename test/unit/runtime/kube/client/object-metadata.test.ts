import { expect } from 'chai';
import { retryRequests } from '#cli/retry-requests.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { type ObjectMetadata, readObjectMetadata } from '#runtime/kube/client/object-metadata.ts';
import { asUser } from '#runtime/kube/client/user-client.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';

const COMMON = { labels: { team: 'storage', own: 'common' }, annotations: { cost: '7' } };

/** Responds with the body of each request. */
function echo(bodies: unknown[], objectMetadata: ObjectMetadata = COMMON): KubeClient {
  return {
    server: 'https://kube.test',
    objectMetadata,
    request: ({ body }: KubeRequest) => {
      bodies.push(body);
      return Promise.resolve(body);
    },
    stream: () => Promise.reject(new Error('no')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function secret(labels?: Record<string, string>) {
  return { metadata: { name: 'a', namespace: 'ns', ...(labels && { labels }) } };
}

describe('the labels and annotations of the operator', () => {
  for (const [who, wrap] of [
    ['a process', (kube: KubeClient) => kube],
    ['a user of the dashboard', (kube: KubeClient) => asUser(kube, 'token')],
    ['the command line', (kube: KubeClient) => retryRequests(kube, new AbortController().signal)],
  ] as const)
    it(`are in every object that ${who} creates, but its own win (X41)`, async () => {
      const bodies: unknown[] = [];
      const client = createObjectClient(wrap(echo(bodies)), RESOURCES.secrets);
      await client.create(secret());
      await client.create(secret({ own: 'mine' }));
      expect(bodies).to.have.deep.nested.property('[0].metadata.labels', COMMON.labels);
      expect(bodies).to.have.deep.nested.property('[0].metadata.annotations', COMMON.annotations);
      expect(bodies).to.have.deep.nested.property('[1].metadata.labels', { team: 'storage', own: 'mine' });
    });

  it('are not in writes of existing objects, which keep what they have (X41)', async () => {
    const bodies: unknown[] = [];
    const client = createObjectClient(echo(bodies), RESOURCES.secrets);
    await client.apply(secret(), { fieldManager: 'x', subresource: 'status' });
    await client.replace(secret());
    expect(JSON.stringify(bodies)).not.to.contain('storage');
  });

  it('leave an object unchanged if there are none (X41)', async () => {
    const bodies: unknown[] = [];
    const none = readObjectMetadata({ objectMetadataJson: '{}' });
    await createObjectClient(echo(bodies, none), RESOURCES.secrets).create(secret());
    expect(bodies).to.deep.equal([{ ...secret(), apiVersion: 'v1', kind: 'Secret' }]);
  });

  for (const text of ['no JSON', '[]', '{"labels":{"a":1}}', '{"annotations":[]}', '{"label":{}}'])
    it(`are refused as ${text} (X41)`, () => {
      expect(() => readObjectMetadata({ objectMetadataJson: text })).to.throw('OBJECT_METADATA_JSON');
    });
});
