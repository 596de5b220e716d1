import {
  BODY,
  type GeneratedHead,
  generate,
  generateField,
  OK,
  padded,
  response,
  type Values,
} from './generate.ts';

const PARTS = ['bytes 0-4/9', 'bytes 1-5/6', 'BYTES 5-9/10', 'bytes 0-9/10', 'bytes 2-6/*'];
/** Forms that only servers that send a part with status 200 use. */
const MALFORMED_PARTS = [
  'bytes=0-4/10',
  'Bytes=5-9/*',
  'bytes: 0-4/10',
  'bytes  0-4/10',
  'bytes\t0-4/10',
  'bytes 0 - 4 / 10',
  'bytes 0-4/10, bytes 0-4/10',
  'bytes 0-4/5,bytes 0-4/10',
  'bytes 0-4/10\r\nContent-Range: bytes 0-4/10',
  'nonsense\r\nContent-Range: bytes 5-9/10',
];
const WHOLES = ['bytes 0-4/5', 'bytes 0-4/*', 'items 0-1/9', 'nonsense', '', 'bytes */5'];
/** The total is that of the body, so the end is only a mistake, as is the form. */
const MALFORMED_WHOLES = [
  'bytes 0-5/5',
  'bytes 0-0/5',
  'bytes=0-4/5',
  'bytes 0-4/5\r\nContent-Range: bytes 0-4/5',
];
const BLANKS = ['', '\t', ' \t '];

const DATES: Values = {
  same: [
    ...padded(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT'], BLANKS, BLANKS),
    ...padded(['Sun Nov  6 08:49:37 1994', 'Sun Nov 16 08:49:37 1994'], BLANKS, ['']),
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Tue, 29 Feb 2000 23:59:59 GMT',
    'Sat, 31 Dec 2016 23:59:60 GMT',
    'Mon, 01 Jan 1900 00:00:00 GMT',
    'Fri, 31 Dec 9999 23:59:59 GMT',
    'Friday, 01-Jan-99 00:00:00 GMT',
    'Wednesday, 09-Nov-77 08:49:37 GMT',
    'Monday, 06-Nov-00 08:49:37 GMT',
    '',
    '0',
    '-1',
    '1700000000',
    'yesterday',
    '2015-10-21',
    '2015-10-21T07:28:00Z',
    '21/10/2015 07:28',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0100',
    'Sun, 06 Nov 1994 08:49:37 EST',
    'So, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Okt 1994 08:49:37 GMT',
    'Sun, 31 Nov 1994 08:49:37 GMT',
    'Sun, 29 Feb 2023 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun, 06-Nov-1994 08:49:37 GMT',
    '06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
  ],
  century: ['Sunday, 06-Nov-70 08:49:37 GMT'],
  year: ['Mon, 01 Jan 0001 00:00:00 GMT', 'Fri, 31 Dec 1899 23:59:59 GMT'],
  date: [
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Sun, 06 Nov 1994 08:49:61 GMT',
    'Sun Nov 6 08:49:37 1994',
    'Sun,  06 Nov 1994 8:49:37 GMT',
  ],
};

const TAGS: Values = {
  same: [
    ...padded(['"a"'], BLANKS, BLANKS),
    '"abc-123"',
    '"!#~"',
    '"\xe9"',
    '"a,b"',
    '"it\'s"',
    'W/"a"',
    'w/"a"',
    'a',
    '""',
    'W/""',
    '"a',
    'a"',
    '"a"b"',
    '"a b"',
    '"a", "b"',
    "'a'",
    '',
    '"a"\r\nETag: "b"',
  ],
};

const CODINGS: Values = {
  same: [
    ...padded(['gzip', 'IDENTITY'], BLANKS, BLANKS),
    'GZIP',
    'br',
    'aws-chunked',
    'UTF-8',
    'gzip, br',
    'gzip,br',
    'none',
    ';',
    '',
    'identity',
    ',',
    'identity, identity',
    'identity, gzip',
    'aws-chunked, gzip',
    'gzip\r\nContent-Encoding: br',
    'identity\r\nContent-Encoding:',
  ],
};

const LINES: Values = {
  same: ['X: \xe9', 'X:', `X:${'a'.repeat(8000)}`, 'X: a\tb', 'X: a:b', 'X: "a'],
  folded: [' folded', '\tfolded', ' '],
  name: ['no colon', 'Space : a', ': no name', 'a b: c'],
  control: ['X: a\rb', 'X: a\0b', 'X: a\x01b', 'X: a\x7fb'],
};

const STATUS_LINES: Values = {
  same: [
    'HTTP/1.1 200 OK',
    'HTTP/1.0 200 OK',
    'HTTP/1.1 200',
    'HTTP/1.1 200 ',
    'HTTP/1.1 200 A B',
    'HTTP/0.9 200 OK',
    'HTTP/1.1 201 Created',
    'HTTP/1.1 404 Not Found',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 200OK',
    'HTTP/1.1 099 OK',
    'HTTP/1.1 -20 OK',
    'ICY 200 OK',
    'http/1.1 200 OK',
    'SSH-2.0-OpenSSH_9.6',
    '200 OK',
    'HTTP',
  ],
  status: ['HTTP/1.2 200 OK', 'HTTP/1.1  200 OK', 'HTTP/1.1\t200 OK', 'HTTP/1.11 200 OK'],
  version: ['HTTP/2.0 200 OK'],
  emptyLine: ['\r\nHTTP/1.1 200 OK'],
};

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const BEFORE_THE_RESPONSE: Values = {
  continue: [CONTINUE, `HTTP/1.1 100 Continue\r\nX: y\r\n\r\n${CONTINUE}`],
  informational: ['HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
};

export function generateFields(): readonly GeneratedHead[] {
  return [
    ...generateField('Content-Range', {
      same: padded([...WHOLES, ...MALFORMED_WHOLES], [''], ['', '\t']),
      part: padded([...PARTS, ...MALFORMED_PARTS], [''], ['', '\t']),
    }),
    ...generate(
      'empty body with Content-Range',
      { same: ['bytes 0-0/0', 'bytes */0', 'bytes 0--1/0'] },
      (value) => response([OK, `Content-Range: ${value}`, 'Content-Length: 0'], ''),
    ),
    ...generate('206 with Content-Range', { same: [...WHOLES, ...PARTS] }, (value) =>
      response(['HTTP/1.1 206 Partial Content', `Content-Range: ${value}`, 'Content-Length: 5']),
    ),
    ...generateField('Last-Modified', DATES),
    ...generateField('ETag', TAGS),
    ...generateField('Content-Encoding', CODINGS),
    ...generate('header line', LINES, (value) => response([OK, 'Y: z', value, 'Content-Length: 5'])),
    ...generate('line end', { lines: ['\n'] }, (end) => response([OK, 'Content-Length: 5'], BODY, end)),
    ...generate('status line', STATUS_LINES, (value) => response([value, 'Content-Length: 5'])),
    ...generate(
      'before the response',
      BEFORE_THE_RESPONSE,
      (value) => `${value}${response([OK, 'Content-Length: 5'])}`,
    ),
  ];
}
