import { expect } from 'chai';
import { jsonLimits } from '#api/body/request-limits.ts';
import { parseStrictJson } from '#api/body/strict-json.ts';
import { runToEnd } from '#test/support/run-to-end.ts';

const LIMITS = jsonLimits({ maxFiles: 10_000, maxMetadataBytes: 16_384 });

function parse(text: string | Uint8Array, limits = LIMITS) {
  return runToEnd(parseStrictJson(typeof text === 'string' ? Buffer.from(text) : text, limits));
}

function nested(levels: number): string {
  return '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
}

describe('parseStrictJson', () => {
  describe('metadata text (T21)', () => {
    const corpus = [
      '{"n":12345678901234567890}',
      '{"n":1.0}',
      '{"n":-0}',
      '{"n":1e400}',
      '{"2":"b","1":"a"}',
      '{"s":"\\ud800"}',
      '{"s":"\\u0000"}',
      '{"s":"\u2028\u2029"}',
      '{"__proto__":{"a":1},"constructor":1,"prototype":2}',
      '{"a":1,"a":2}',
      '{ "spaces" :\t[ 1 ,\r\n2 ] }',
      '{"s":"\\\\\\" } ] , : \\\\"}',
      '{"metadata":{"metadata":{}}}',
      '{}',
      nested(64),
      `{"s":"${'é'.repeat(8_000)}"}`,
    ];
    for (const text of corpus) {
      it(`is kept byte for byte: ${text.slice(0, 50)}`, () => {
        const body = `{"urls":[{"url":"a","filename":"}"}], "metadata" :\n ${text} \t, "key":"k"}`;
        expect(parse(body).metadataText).to.equal(text);
        expect(parse(`{"metadata":${text}}`).metadataText).to.equal(text);
      });
    }

    for (const value of ['null', '1.0', '"text"', '[1, 2]', 'true']) {
      it(`is found if the value is not an object: ${value}`, () => {
        expect(parse(`{"metadata": ${value} }`).metadataText).to.equal(value);
      });
    }

    it('is found under an escaped key', () => {
      expect(parse('{"\\u006detadata":{"a":1.0}}').metadataText).to.equal('{"a":1.0}');
    });

    it('is absent if only a nested object has this key', () => {
      expect(parse('{"a":{"metadata":{}},"b":"metadata"}').metadataText).to.equal(undefined);
    });
  });

  it('returns the parsed body', () => {
    expect(parse(' {"key":"k","urls":[{"url":"u","filename":"f"}]} ').body).to.deep.equal({
      key: 'k',
      urls: [{ url: 'u', filename: 'f' }],
    });
  });

  it('makes __proto__ an own field and does not change the prototype (T20)', () => {
    const { body } = parse('{"__proto__":{"key":"k"}}');
    expect(Object.getPrototypeOf(body)).to.equal(Object.prototype);
    expect(body['key']).to.equal(undefined);
  });

  it('skips a byte order mark', () => {
    expect(parse('\ufeff{"metadata":{}}').metadataText).to.equal('{}');
  });

  const refused: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ['invalid UTF-8 (T17)', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/],
    ['a truncated UTF-8 sequence (T17)', Buffer.from([0x7b, 0x7d, 0xe2, 0x82]), /UTF-8/],
    ['an encoded surrogate (T17)', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /UTF-8/],
    ['nothing', '', /not valid JSON/],
    ['text', 'hello', /not valid JSON/],
    ['an unclosed string', '{"a":"b', /not valid JSON/],
    ['a string that ends with a backslash', '{"a":"b\\', /not valid JSON/],
    ['an unclosed object', '{"a":1', /not valid JSON/],
    ['too many closing brackets', '{}}}', /not valid JSON/],
    ['a missing value', '{"metadata":}', /not valid JSON/],
    ['two values in one member', '{"metadata":{} {}}', /not valid JSON/],
    ['an invalid escape in a key', '{"\\x":1}', /not valid JSON/],
    ['a trailing comma', '{"a":1,}', /not valid JSON/],
    ['a comment', '{"a":1/* */}', /not valid JSON/],
    ['NaN', '{"a":NaN}', /not valid JSON/],
    ['a duplicate key at the top level (T19)', '{"key":"a","key":"b"}', /"key" twice/],
    ['a duplicate key, once escaped (T19)', '{"key":"a","\\u006bey":"b"}', /"key" twice/],
    [
      'a duplicate key in an entry of urls (T19)',
      '{"urls":[{"url":"a","filename":"b"},{"url":"a","url":"b"}]}',
      /"url" twice/,
    ],
    [
      'a duplicate key in the headers of an entry (T19)',
      '{"urls":[{"headers":{"Cookie":"a"}},{"headers":{"Cookie":"a","Cookie":"b"}}]}',
      /"Cookie" twice/,
    ],
    [
      'a duplicate key in the tags of object (T19)',
      '{"object":{"metadata":{"team":"a"},"tags":{"team":"a","team":"b"}}}',
      /"team" twice/,
    ],
  ];
  for (const text of ['[]', '"a"', '1', 'true', 'null'])
    it(`distinguishes a value that is not an object from invalid JSON: ${text} (N29)`, () => {
      expect(() => parse(text))
        .to.throw(/not a JSON object/)
        .with.property('code', 'NotAnObject');
    });

  for (const [name, text, message] of refused) {
    it(`refuses ${name}`, () => {
      expect(() => parse(text))
        .to.throw(message)
        .with.property('code', 'InvalidJson');
    });
  }

  const fine = [
    ['the same key in two entries of urls', '{"urls":[{"url":"a"},{"url":"b"}]}'],
    ['the same key in an object and in the object inside it', '{"object":{"tags":{"object":{"tags":1}}}}'],
    ['a duplicate key in an unknown field', '{"x":{"a":1,"a":2},"y":[{"a":1,"a":2}]}'],
  ] as const;
  for (const [name, text] of fine) {
    it(`accepts ${name}`, () => {
      expect(parse(text).body).to.be.an('object');
    });
  }

  it('accepts the maximum depth and refuses one level more (T18)', () => {
    expect(parse(nested(66)).body).to.be.an('object');
    expect(() => parse(nested(67))).to.throw(/deeper than 66/);
  });

  it('refuses a million levels without parsing them (T18)', () => {
    expect(() => parse('['.repeat(1_000_000))).to.throw(/deeper than 66/);
  });

  it('truncates the key in the message', () => {
    const key = 'k'.repeat(10_000);
    expect(() => parse(`{"${key}":1,"${key}":2}`))
      .to.throw()
      .with.property('message')
      .with.length.below(200);
  });

  for (const [text, place] of [
    ['', 'it is incomplete, and ends at line 1, column 1'],
    ['hello', 'unexpected character at line 1, column 1'],
    [
      '{\n  "key": "k",\n  "urls": [\n    {"url": "a"},\n    {"url": a}\n]}',
      'unexpected character at line 5, column 13',
    ],
    ['{"a": 1,}', 'unexpected character at line 1, column 9'],
    ['{"\\x":1}', 'unexpected character at line 1, column 4'],
    ['{"urls": [{"url": "https://h/', 'it is incomplete, and ends at line 1, column 30'],
  ] as const)
    it(`says where ${JSON.stringify(text)} is wrong (Q-A10)`, () => {
      expect(() => parse(text)).to.throw(`The body is not valid JSON: ${place}.`);
    });

  it('never quotes the body', () => {
    let message = '';
    try {
      parse('{"urls":[{"url":"https://h/?sig=SECRET"} oops');
    } catch (error) {
      message = error instanceof Error ? `${error.message} ${String(error.cause)}` : '';
    }
    expect(message).to.include('not valid JSON').and.not.include('SECRET');
  });

  it('reads runs of backslashes in linear time', () => {
    const text = `{"metadata":{"a":"${'\\\\'.repeat(500_000)}${'\\"'.repeat(500_000)}"}}`;
    expect(parse(text).metadataText).to.have.length(text.length - 13);
  });
});
