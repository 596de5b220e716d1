import { expect } from 'chai';
import { readIdempotencyKey } from '#api/create/idempotency-key.ts';

function read(...values: string[]) {
  return readIdempotencyKey({ rawHeaders: values.flatMap((value) => ['Idempotency-Key', value]) });
}

describe('readIdempotencyKey', () => {
  it('returns undefined without the header', () => {
    expect(readIdempotencyKey({ rawHeaders: ['Host', 'a'] })).to.equal(undefined);
  });

  for (const [sent, key] of [
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"a \\"b\\" \\\\ c"', 'a "b" \\ c'],
    ['a'.repeat(255), 'a'.repeat(255)],
    [' "order/7" ', 'order/7'],
  ] as const)
    it(`accepts ${sent.slice(0, 50)} (T10)`, () => {
      expect(read(sent)).to.equal(key);
    });

  for (const [why, ...sent] of [
    ['is empty', '""'],
    ['is malformed', ''],
    ['is longer', 'a'.repeat(256)],
    ['is longer', `"${'a'.repeat(256)}"`],
    ['is malformed', 'a b'],
    ['is malformed', 'a,b'],
    ['is malformed', '"a'],
    ['is malformed', '"a";b=c'],
    ['is malformed', '"a\\b"'],
    ['is malformed', 'schlüssel'],
    ['more than once', 'a', 'a'],
  ] as const)
    it(`refuses ${JSON.stringify(sent).slice(0, 50)}: ${why} (T10)`, () => {
      expect(() => read(...sent))
        .to.throw(why)
        .that.includes({ status: 400, code: 'invalid_idempotency_key', param: null });
    });
});
