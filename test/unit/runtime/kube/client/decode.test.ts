import { expect } from 'chai';
import { isJsonObject } from '#runtime/kube/client/decode.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';

const metadata = { namespace: 'ns', name: 'a' };

describe('decoders', () => {
  for (const { name, value, fault } of [
    { name: 'a value that is not an object', value: [], fault: 'it is not a JSON object' },
    { name: 'no spec', value: { metadata }, fault: 'spec is missing or not an object' },
    {
      name: 'a spec that is a list',
      value: { metadata, spec: [] },
      fault: 'spec is missing or not an object',
    },
    {
      name: 'a status that is not an object',
      value: { metadata, spec: {}, status: 'x' },
      fault: 'status is not an object',
    },
    { name: 'no metadata', value: { spec: {} }, fault: 'metadata is missing' },
    {
      name: 'no name',
      value: { metadata: { namespace: 'ns', name: '' }, spec: {} },
      fault: 'metadata.name is missing',
    },
    {
      name: 'no namespace',
      value: { metadata: { name: 'a' }, spec: {} },
      fault: 'metadata.namespace is missing',
    },
  ]) {
    it(`refuse ${name}`, () => {
      expect(() => RESOURCES.zipJobs.decode(value)).to.throw(TypeError, `not a ZipJob: ${fault}`);
    });
  }

  it('return an object unchanged', () => {
    const value = { metadata, spec: {}, status: {}, other: 1 };
    expect(RESOURCES.jobs.decode(value)).to.equal(value);
  });

  it("give cluster-scoped objects the namespace ''", () => {
    expect(RESOURCES.namespaces.decode({ metadata: { name: 'a' } })).to.deep.equal({
      metadata: { namespace: '', name: 'a' },
    });
    expect(() => RESOURCES.namespaces.decode(5)).to.throw(TypeError);
  });
});

describe('isJsonObject', () => {
  for (const [text, want] of [
    ['{}', true],
    [' { "a" : 1e400 } ', true],
    ['[]', false],
    ['null', false],
    ['1', false],
    ['{}{}', false],
    ['{} //', false],
    ['', false],
  ] as const)
    it(`returns ${want} for ${JSON.stringify(text)}`, () => {
      expect(isJsonObject(text)).to.equal(want);
    });
});
