import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import {
  FILENAME_PATTERN,
  HEADER_VALUE_PATTERN,
  KEY_PATTERN,
  URL_PATTERN,
} from '#api/create/schemas/patterns.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { bucketObjectOf } from '#runtime/zip-request/bucket-url.ts';
import { keyProblem } from '#runtime/zip-request/key-problem.ts';
import { SOURCE_HEADER_NAME_PATTERN, sourceHeadersProblem } from '#runtime/zip-request/source-headers.ts';
import { judgeSourceUrl } from '#runtime/zip-request/source-url.ts';
import { nameFault } from '#test/support/builders/name-fault.ts';

const PIECES = [
  'a',
  '.',
  '..',
  '/',
  '\\',
  ' ',
  'C:',
  '\n',
  '\u007f',
  '\u2028',
  '\u202e',
  'é',
  '😀',
  '0',
  '-',
  '"',
];
/** Every combination of up to three pieces. */
const TEXTS = [
  '',
  ...PIECES,
  ...PIECES.flatMap((a) => PIECES.flatMap((b) => [a + b, ...PIECES.map((c) => a + b + c)])),
];

const CONTROL_CHARACTERS = 'the key must not contain control characters';

/** All validation rules of a definition. */
function rulesIn(node: unknown): readonly { readonly rule: string; readonly message: string }[] {
  if (!isRecord(node) && !Array.isArray(node)) return [];
  const { rule, message } = node as { readonly rule?: unknown; readonly message?: unknown };
  if (typeof rule === 'string' && typeof message === 'string') return [{ rule, message }];
  return Object.values(node).flatMap(rulesIn);
}

function disagreements(pattern: string, isValid: (text: string) => boolean, texts = TEXTS): string[] {
  const regex = new RegExp(pattern, 'u');
  return texts.filter((text) => regex.test(text) !== isValid(text));
}

describe('published patterns', () => {
  it('match exactly the keys that are accepted', () => {
    function isValid(text: string) {
      return text !== '' && keyProblem(text, 1_024) === undefined;
    }
    expect(disagreements(KEY_PATTERN, isValid)).to.deep.equal([]);
  });

  it('match exactly the characters of keys that are accepted, as does the definition of ZipJob (N26)', async () => {
    const definition: unknown = parse(await readFile('crds/zipjobs.yaml', 'utf8'));
    const rule = rulesIn(definition).find(({ message }) => message === CONTROL_CHARACTERS)?.rule ?? '';
    const [, inYaml = ''] = /^!self\.matches\('(.+)'\)$/.exec(rule) ?? [];
    const refusedByDefinition = new RegExp(inYaml.replaceAll('\\\\', '\\'), 'u');
    const texts = Array.from({ length: 0x10_000 }, (_, code) => String.fromCharCode(code))
      .filter((text) => text.isWellFormed())
      .map((text) => `a${text}b`);
    function isValid(text: string) {
      return keyProblem(text, 1_024) === undefined;
    }
    expect(disagreements(KEY_PATTERN, isValid, texts)).to.deep.equal([]);
    expect(texts.filter((text) => refusedByDefinition.test(text) === isValid(text))).to.deep.equal([]);
  });

  it('match exactly the file names that are accepted with rewrite, so clients refuse none of them (FD12)', () => {
    const texts = [...TEXTS, 'C:/a', 'x'.repeat(256), `a/${'x'.repeat(256)}`];
    function isValid(text: string) {
      return nameFault([text], 'rewrite') === undefined;
    }
    expect(disagreements(FILENAME_PATTERN, isValid, texts)).to.deep.equal([]);
  });

  it('match exactly the characters of file names that are accepted with rewrite (N16)', () => {
    const characters = Array.from({ length: 0x10_000 }, (_, code) => String.fromCharCode(code));
    const texts = characters.filter((text) => text.isWellFormed()).map((text) => `a${text}b`);
    function isValid(text: string) {
      return nameFault([text], 'rewrite') === undefined;
    }
    expect(disagreements(FILENAME_PATTERN, isValid, texts)).to.deep.equal([]);
  });

  it('match exactly the headers that are accepted', () => {
    function isName(text: string) {
      return sourceHeadersProblem({ [text]: 'x' }) === undefined;
    }
    const names = [
      'te',
      'tE',
      'ten',
      'Host',
      'hosts',
      'Content-Type',
      'content',
      'if-',
      'IF-Match',
      'sec-a',
      'Proxy-X',
      'x',
    ];
    expect(names.filter(isName)).to.deep.equal(['ten', 'hosts', 'content', 'x']);
    expect(disagreements(SOURCE_HEADER_NAME_PATTERN, isName, [...TEXTS, ...names])).to.deep.equal([]);
    function isValue(text: string) {
      return sourceHeadersProblem({ a: text }) === undefined;
    }
    expect(disagreements(HEADER_VALUE_PATTERN, isValue)).to.deep.equal([]);
  });

  it('match every URL that is accepted, and no other scheme', () => {
    const policy = createEgressPolicy({ allowCidrs: ['0.0.0.0/0'], denyCidrs: [] });
    const regex = new RegExp(URL_PATTERN, 'u');
    const heads = ['http:', 'HTTPS://', 'http:/', 'https:\\\\', 'ftp://', ' http://', ''];
    const urls = heads.flatMap((head) => TEXTS.map((text) => `${head}a.example.com/${text}`));
    const accepted = urls.filter((url) => judgeSourceUrl(url, policy).ok);
    expect(accepted.length).to.be.greaterThan(500);
    expect(accepted.filter((url) => !regex.test(url))).to.deep.equal([]);
    expect(regex.test('ftp://a.example.com/')).to.equal(false);
  });

  it('match exactly the URLs of objects that are accepted (SB1)', () => {
    const regex = new RegExp(URL_PATTERN, 'u');
    const heads = [
      's3://bucket/',
      'r2://a.b-c/',
      'S3://bucket/',
      's3:/bucket/',
      's3:///',
      's3://a/',
      's3://b@d/',
      's3://bucket',
    ];
    const urls = heads.flatMap((head) => TEXTS.map((text) => `${head}${text}`));
    const accepted = urls.filter((url) => bucketObjectOf(url) !== undefined);
    expect(accepted.length).to.be.greaterThan(100);
    const matched = urls.filter((url) => regex.test(url));
    expect(matched.filter((url) => !accepted.includes(url)).slice(0, 20)).to.deep.equal([]);
    expect(accepted.filter((url) => !matched.includes(url))).to.deep.equal([]);
  });
});
