import { expect } from 'chai';
import { ANNOTATIONS, LABELS } from '#crds/api-group.ts';
import { withNamedMetadata } from '#runtime/kube/watch/ingest.ts';
import { followed, has, startReflector } from './reflector-fixture.ts';
import { aNote } from './scripted-api-server.ts';

const heavy = 'x'.repeat(2_000);

describe('the metadata that a cache keeps', () => {
  it('has our annotations and labels only (N36)', () => {
    const own = { annotations: { [ANNOTATIONS.requestId]: 'r1' }, labels: { [LABELS.instance]: 'a' } };
    const { annotations, labels } = own;
    const { metadata } = aNote('a', 1);
    const all = {
      ...metadata,
      generation: 2,
      finalizers: ['f'],
      annotations: { ...annotations, note: heavy },
      labels: { ...labels, team: heavy },
      selfLink: heavy,
    };
    expect(withNamedMetadata({ metadata: all, data: {} })).to.deep.equal({
      metadata: { ...metadata, generation: 2, finalizers: ['f'], ...own },
      data: {},
    });
    expect(
      withNamedMetadata({ metadata: { ...metadata, annotations: { note: heavy } } }).metadata,
    ).to.deep.equal(metadata);
  });

  it('has the commands to the webhook endpoints of the object, and to no others (N36)', () => {
    const { metadata } = aNote('a', 1);
    const annotations = {
      [`${ANNOTATIONS.testWebhook}.audit`]: 'n1',
      [`${ANNOTATIONS.enableWebhook}.removed`]: heavy,
      [`${ANNOTATIONS.purgeHistory}.audit`]: heavy,
    };
    const spec = { webhook: { endpoints: [{ name: 'audit' }] } };
    const object = { metadata: { ...metadata, annotations }, spec };
    expect(withNamedMetadata(object).metadata.annotations).to.deep.equal({
      [`${ANNOTATIONS.testWebhook}.audit`]: 'n1',
    });
  });

  it('leaves room for objects with large annotations (N36)', async () => {
    await using fixture = await startReflector({ limitsOf: () => ({ objects: 100, bytes: 20_000 }) });
    const notes = Array.from({ length: 40 }, (_, n) => {
      const note = aNote(`n${n}`, n + 1);
      return { ...note, metadata: { ...note.metadata, annotations: { note: heavy } } };
    });
    await followed(fixture, 100, ...notes);
    await has(fixture, 'ns/n39', 40);
    expect([[...fixture.reflector.keys()].length, fixture.reflector.leftOut()]).to.deep.equal([40, 0]);
    expect(JSON.stringify([...fixture.reflector.values()])).not.to.contain('xxxx');
  });
});
