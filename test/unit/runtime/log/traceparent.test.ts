import { expect } from 'chai';
import { traceFields, validTraceparent } from '#runtime/log/traceparent.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const VALID = `00-${ID}-00f067aa0ba902b7-01`;

describe('validTraceparent', () => {
  it('accepts a header of version 00 unchanged and extracts its trace ID', () => {
    expect(validTraceparent(VALID)).to.equal(VALID);
    expect(traceFields(VALID)).to.deep.equal({ traceId: ID });
  });

  const refused = [
    undefined,
    '',
    VALID.toUpperCase(),
    `${VALID}\n`,
    `${VALID}-more`,
    VALID.replace(/^00/, 'ff'),
    VALID.replace(ID, '0'.repeat(32)),
    VALID.replace('00f067aa0ba902b7', '0'.repeat(16)),
  ];
  for (const header of refused)
    it(`ignores ${JSON.stringify(header)}`, () => {
      expect(validTraceparent(header)).to.equal(undefined);
      expect(traceFields(header)).to.deep.equal({});
    });
});
