import { expect } from 'chai';
import { defined } from '#runtime/collections/optional.ts';

interface Address {
  readonly host: string;
  readonly port?: number;
  readonly path?: string | null;
}

describe('defined', () => {
  it('leaves out only the fields that are undefined', () => {
    const fields = { zero: 0, empty: '', no: false, nothing: null, gone: undefined };
    expect(defined(fields)).to.deep.equal({ zero: 0, empty: '', no: false, nothing: null });
  });

  it('has the type of an object with optional fields', () => {
    function addressOf(port: number | undefined, path: string | null | undefined): Address {
      return {
        host: 'a',
        ...defined({ port, path }),
      };
    }
    expect(addressOf(1, undefined)).to.deep.equal({ host: 'a', port: 1 });
    expect(addressOf(undefined, null)).to.deep.equal({ host: 'a', path: null });
  });

  it('keeps fields that always have a value required', () => {
    const port: number | undefined = Number('80');
    const address: Address = defined({ host: 'a', port: port > 80 ? port : undefined });
    expect(address).to.deep.equal({ host: 'a' });
  });
});
