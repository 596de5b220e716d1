import { expect } from 'chai';
import { derivedUuid } from '#api/create/derived-uuid.ts';

describe('derivedUuid', () => {
  it('returns the same version 8 UUID each time', () => {
    const uuid = derivedUuid('project-uid', 'key');
    expect(uuid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(derivedUuid('project-uid', 'key')).to.equal(uuid);
  });

  it('depends on the project and the key, not on their concatenation', () => {
    const all = [
      ['ab', 'c'],
      ['a', 'bc'],
      ['', 'abc'],
      ['ab', 'C'],
    ].map(([project = '', key = '']) => derivedUuid(project, key));
    expect(new Set(all).size).to.equal(all.length);
  });

  it('returns the same UUID as earlier versions', () => {
    expect(derivedUuid('5f1b8d2a-0000-4000-8000-000000000001', 'order-7')).to.equal(
      '86a349e9-c921-8d29-8620-b8a499e43922',
    );
  });
});
