import { BODY, CHUNKS, type GeneratedHead, generate, OK, padded, response, type Values } from './generate.ts';

const BEFORE = ['', ' ', '\t', ' \t '];
const SPACES = ['', ' ', '   '];
const TABS = ['\t', ' \t', '\t '];

const LENGTHS: Values = {
  same: [
    ...padded(['5', '05', `${'0'.repeat(30)}5`], BEFORE, SPACES),
    ' 6',
    ' 4',
    ' 0',
    ' 0 ',
    ' 500 ',
    ' 5_0',
    ' 9007199254740991',
    ' 9007199254740993',
    ' 99999999999999999999',
    ` ${'9'.repeat(400)}`,
  ],
  blank: padded(['5'], [' '], TABS),
  length: padded(
    ['-1', '-5', '-0', '+5', '+0', '', 'five', '0x5', '5h', '5.0', '5e0', '5;', '"5"', '5 5', '5 6', '\xa05'],
    [' '],
    [''],
  ),
  repeated: padded(
    [
      '5, 5',
      '5,5',
      '5,',
      ',5',
      '5, 6',
      '6, 5',
      '5\r\nContent-Length: 5',
      '5\r\ncontent-length:5',
      '5\r\nContent-Length: 6',
      '4\r\nContent-Length: 5',
    ],
    [' '],
    [''],
  ),
};

const OTHER_CODINGS = [
  'identity',
  'gzip',
  'deflate',
  'br',
  'x',
  'trailers',
  '',
  ',',
  'xchunked',
  'chunkedx',
  'chunk',
  'chunked;',
  'chunked;q=1',
  '"chunked"',
  '\xa0chunked',
  'chunked\xa0',
  'chunked,',
  ',chunked',
  'chunked chunked',
];
/** Two codings in both orders, in one header and in two. */
const TWO_CODINGS = ['identity', 'gzip', 'chunked'].flatMap((other) =>
  [`${other}, chunked`, `chunked,${other}`].flatMap((list) => [
    list,
    list.replace(/, ?/, '\r\nTransfer-Encoding: '),
  ]),
);

const CODINGS: Values = {
  same: padded(['chunked', 'Chunked', 'CHUNKED'], BEFORE, ['']),
  trailing: padded(['chunked', 'cHuNkEd'], [' '], [' ', '   ']),
  tab: padded(['chunked'], [' '], TABS),
  transfer: padded([...OTHER_CODINGS, ...TWO_CODINGS], [' '], ['']),
};

const CHUNK_SIZES: Values = {
  same: [
    '5',
    '05',
    '0000000005',
    '5;a',
    '5;a=b',
    '5;a="b"',
    '5;a="b;c"',
    '5;a=b;c=d',
    '6',
    '500',
    '7fffffffffff',
    '',
    'x',
    'g',
    '-1',
    'ffffffffffffffffffffff',
    '5_',
    '5\n',
    '5h',
  ],
  chunk: [...padded(['5'], [''], [' ', '  ', '\t']), ' 5', '5 ;a=b', '+5', '0x5', '5;', '5; a = b'],
};

const CHUNKED_BODIES: Values = {
  same: [
    '0\r\n\r\n',
    '3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n',
    '5\r\nhello\r\n000\r\n\r\n',
    '5\r\nhello\r\n0;a=b\r\n\r\n',
    '5\r\nhello\r\n0\r\nA: b\r\n\r\n',
    '5\r\nhello\r\n0\r\n\r\nmore',
    '5\nhello\n0\n\n',
    '',
    '5',
    '5\r\nhel',
    '5\r\nhello',
    '5\r\nhello\r\n',
  ],
  lastChunk: ['5\r\nhello\r\n0\r\n', '5\r\nhello\r\n0'],
  chunk: ['5\r\nhelloXX0\r\n\r\n'],
};

const chunked = 'Transfer-Encoding: chunked';

function bodyOf(coding: string): string {
  return coding === 'chunked' ? CHUNKS : BODY;
}

const BOTH: Values = { both: ['chunked', 'identity', 'gzip', ''] };

export function generateFramings(): readonly GeneratedHead[] {
  return [
    ...generate('Content-Length', LENGTHS, (value) => response([OK, `Content-Length:${value}`])),
    ...generate('Transfer-Encoding', CODINGS, (value) =>
      response([OK, `Transfer-Encoding:${value}`], CHUNKS),
    ),
    ...generate('Content-Length before Transfer-Encoding', BOTH, (value) =>
      response([OK, 'Content-Length: 5', `Transfer-Encoding: ${value}`], bodyOf(value)),
    ),
    ...generate('Content-Length behind Transfer-Encoding', BOTH, (value) =>
      response([OK, `Transfer-Encoding: ${value}`, 'Content-Length: 5'], bodyOf(value)),
    ),
    ...generate('chunk size', CHUNK_SIZES, (value) =>
      response([OK, chunked], `${value}\r\nhello\r\n0\r\n\r\n`),
    ),
    ...generate('chunked body', CHUNKED_BODIES, (value) => response([OK, chunked], value)),
    ...generate('body', { same: ['', 'hell', 'hello', 'hello and more', '\r\nhello'] }, (value) =>
      response([OK, 'Content-Length: 5'], value),
    ),
    ...generate('body until the end of the connection', { same: ['', 'hello'] }, (value) =>
      response([OK], value),
    ),
  ];
}
