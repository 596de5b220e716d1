import { expect } from 'chai';
import { meaningOf } from '#administration/errors/meaning-of.ts';

describe('meaningOf', () => {
  it('has a sentence for reasons and failure codes', () => {
    expect(meaningOf('SlotsTaken')).to.be.a('string').that.is.not.empty;
    expect(meaningOf('SourceNotFound')).to.be.a('string').that.is.not.empty;
  });

  it('is empty for an unknown code, which can be the name of a property of every object', () => {
    for (const code of ['Unheard', 'constructor', '__proto__']) expect(meaningOf(code)).to.equal('');
  });
});
