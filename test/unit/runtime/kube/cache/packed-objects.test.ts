import { expect } from 'chai';
import { createPacker } from '#runtime/kube/cache/packed-objects.ts';
import type { KubeObject } from '#runtime/kube/types.ts';
import { productionPod, productionZipJob } from '#test/support/builders/production-objects.ts';

type Any = KubeObject & Readonly<Record<string, unknown>>;

function keyOf({ metadata }: Any): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function object(name: string, fields: Readonly<Record<string, unknown>> = {}): Any {
  return {
    metadata: { name, namespace: 'ns', uid: `uid-${name}` },
    ...fields,
  };
}

describe('createPacker', () => {
  const packer = createPacker<Any>();
  function again(one: Any): Any {
    return packer.unpack(keyOf(one), packer.pack(one) ?? '');
  }

  it('returns the same objects, whatever JSON they contain', () => {
    const all = [
      productionZipJob(1) as Any,
      productionPod(2) as Any,
      object('a', { b: null, c: true, d: -1.5, e: '', f: [], g: {}, h: [[1, ['x', { y: 'z' }]], []] }),
      object('b', { 'a:b': { '{"c}': '[0]', '0': 'x' }, text: 'line\n"quoted" \u0000 grün 漢字' }),
      { metadata: { name: 'cluster', namespace: '' } },
    ];
    for (const one of all) expect(again(one)).to.deep.equal(one);
    // Layouts and shared texts are known now.
    for (const one of all) expect(again(one)).to.deep.equal(one);
  });

  it('keeps a field named __proto__ (BC23)', () => {
    const fields =
      '{"tags":{"__proto__":"a","b":"c"},"__proto__":{"__proto__":null},"d":[{"__proto__":[1]}]}';
    const one = object('a', JSON.parse(fields) as Readonly<Record<string, unknown>>);
    const { metadata, ...others } = again(one);
    expect(JSON.stringify(others)).to.equal(fields);
    expect(metadata).to.deep.equal(one.metadata);
  });

  it('leaves out fields that are undefined', () => {
    expect(again(object('a', { b: undefined, c: { d: undefined } }))).to.deep.equal(object('a', { c: {} }));
  });

  it('does not confuse layouts', () => {
    const pairs = [
      [object('a', { b: { c: 'x' }, d: 'y' }), object('a', { b: { c: 'x', d: 'y' } })],
      [object('a', { ab: 'x', c: 'y' }), object('a', { a: 'x', bc: 'y' })],
      [object('a', { b: ['x', 'y'] }), object('a', { b: [['x'], 'y'] })],
    ];
    for (const pair of pairs) for (const one of pair) expect(again(one)).to.deep.equal(one);
  });

  it('keeps the first texts of a field once', () => {
    const sizes = Array.from({ length: 200 }, (_, n) => {
      const one = object(`job-${n}`, { bucket: `s3-a-bucket-with-a-long-name-${n % 100}` });
      expect(again(one)).to.deep.equal(one);
      return packer.pack(one)?.length ?? 0;
    });
    expect(sizes[10]).to.be.below(30);
    expect(sizes[110]).to.be.below(30);
    expect(sizes[170]).to.be.above(40);
  });

  it('keeps no long text, and no layout of many values (N36)', () => {
    const long = object('long', { text: 'x'.repeat(101) });
    expect(packer.pack(long)?.length).to.be.above(100);
    expect(again(long)).to.deep.equal(long);
    expect(packer.pack(object('many', { values: Array.from({ length: 200 }, () => 'v') }))).to.equal(
      undefined,
    );
  });

  it('packs a production ZipJob, except its key, into half of its JSON (G1)', () => {
    for (let n = 0; n < 100; n += 1) packer.pack(productionZipJob(n) as Any);
    const one = productionZipJob(100) as Any;
    expect(packer.pack(one)?.length ?? Infinity).to.be.below(JSON.stringify(one).length / 2);
  });

  it('returns undefined for more layouts than it keeps', () => {
    const packer = createPacker<Any>();
    const packed = Array.from({ length: 1_002 }, (_, n) => packer.pack(object('a', { [`field-${n}`]: 1 })));
    expect(packed.filter((one) => one === undefined)).to.have.lengthOf(2);
    expect(packer.unpack('ns/a', packed[999] ?? '')).to.deep.equal(object('a', { 'field-999': 1 }));
  });
});
