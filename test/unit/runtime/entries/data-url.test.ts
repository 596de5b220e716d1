import { expect } from 'chai';
import { MAX_DATA_BYTES, MAX_DATA_URL_LENGTH, readDataUrl } from '#runtime/entries/data-url.ts';

function textOf(url: string): string | undefined {
  const content = readDataUrl(url);
  return content.ok ? content.bytes.toString() : undefined;
}

describe('readDataUrl', () => {
  for (const [url, text] of [
    ['data:,', ''],
    ['data:,hello%20w%C3%B6rld', 'hello wörld'],
    ['data:text/plain;charset=utf-8,a,b', 'a,b'],
    ['data:,a%23b?c', 'a#b?c'],
    ['data:text/plain;base64,aGVsbG8=', 'hello'],
    ['DATA:;BASE64,aGVsbG8%3D', 'hello'],
    ['data:;base64,', ''],
  ] as const)
    it(`reads ${url}`, () => {
      expect(textOf(url)).to.equal(text);
    });

  it('decodes every escape, in either letter case, to its byte', () => {
    const all = Array.from({ length: 256 }, (_, byte) => byte);
    const text = all.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    for (const url of [`data:,${text}`, `data:,${text.toUpperCase()}`])
      expect(readDataUrl(url)).to.deep.equal({ ok: true, bytes: Buffer.from(all), mediaType: 'text/plain' });
  });

  for (const [url, mediaType] of [
    ['data:,a', 'text/plain'],
    ['data:;base64,YQ==', 'text/plain'],
    ['data:;charset=utf-8,a', 'text/plain'],
    ['data:nonsense,a', 'text/plain'],
    ['data:Application/PDF;base64,YQ==', 'application/pdf'],
    ['data:image/svg+xml;charset=utf-8,a', 'image/svg+xml'],
  ] as const)
    it(`finds the media type of ${url} (FD10)`, () => {
      expect(readDataUrl(url)).to.have.property('mediaType', mediaType);
    });

  for (const url of [
    'data:',
    'data:text/plain',
    'data:;base64,aGVsbG8',
    'data:;base64,aGVs bG8=',
    'data:;base64,aGVsbG-_',
    'data:;base64,====',
    'data:,100%',
    'data:,%zz',
    'data:,a b',
    'data:,a"b',
    'data:,a#b',
    'data:;base64,aGVsbG8=#b',
    'data:,ö',
    'data:,a\nb',
    `data:${'a'.repeat(201)},b`,
  ])
    it(`refuses ${JSON.stringify(url.slice(0, 40))} and does not repeat it (C5)`, () => {
      const content = readDataUrl(url);
      expect(content.ok).to.equal(false);
      if (url.includes(',')) expect(JSON.stringify(content)).not.to.contain(url);
    });

  it('reads 64 KiB and refuses one byte more, however it is written (C5)', () => {
    const most = Buffer.alloc(MAX_DATA_BYTES, 0x61);
    const more = Buffer.alloc(MAX_DATA_BYTES + 1, 0x61);
    const forms = [
      (bytes: Buffer) => `data:;base64,${bytes.toString('base64')}`,
      (bytes: Buffer) => `data:,${bytes.toString()}`,
      (bytes: Buffer) => `data:,${'%61'.repeat(bytes.length)}`,
    ];
    for (const form of forms) {
      expect(readDataUrl(form(most))).to.have.property('ok', true);
      expect(readDataUrl(form(more))).to.have.property('problem', 'has more than 65536 bytes of content');
    }
    expect(readDataUrl(`data:,${'a'.repeat(MAX_DATA_URL_LENGTH)}`)).to.have.property('ok', false);
  });
});
