import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { ObjectOptions } from '#crds/zip-bucket.ts';
import { findBucketFault, findObjectFault, mergeObjectOptions } from '#runtime/zip-request/object-options.ts';

const KMS = { serverSideEncryption: 'aws:kms', kmsKeyId: 'alias/archives' } as const;

/** The messages of all validation rules of a definition. */
function messagesIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === 'message' && typeof value === 'string' ? [value] : messagesIn(value),
  );
}

describe('the object options of a bucket', () => {
  const refusedByR2: readonly (readonly [field: keyof ObjectOptions, options: ObjectOptions])[] = [
    ['acl', { acl: 'private' }],
    ['serverSideEncryption', { serverSideEncryption: 'AES256' }],
    ['serverSideEncryption', KMS],
    ['tags', { tags: { team: 'sales' } }],
    ['storageClass', { storageClass: 'GLACIER' }],
  ];
  for (const [field, options] of refusedByR2)
    it(`are refused at R2 with ${JSON.stringify(options)}, in the words of the definition (C7)`, async () => {
      const fault = findBucketFault(options, 'r2');
      expect(fault?.field).to.equal(field);
      expect(fault?.problem).to.match(/^is not supported by R2/);
      expect(findBucketFault(options, 's3')).to.equal(undefined);
      expect(findBucketFault(options, 'custom')).to.equal(undefined);
      const definition: unknown = parse(await readFile('crds/zipbuckets.yaml', 'utf8'));
      expect(messagesIn(definition)).to.include(`objectOptions.${field} ${fault?.problem}`);
    });

  it('are accepted at R2 if it supports them (C7)', () => {
    const options = { storageClass: 'STANDARD_IA', cacheControl: 'no-store', metadata: { team: 'sales' } };
    expect(findBucketFault(options, 'r2')).to.equal(undefined);
  });

  for (const [field, options] of [
    ['kmsKeyId', { kmsKeyId: 'key' }],
    ['kmsKeyId', { ...KMS, serverSideEncryption: 'AES256' }],
    ['bucketKeyEnabled', { bucketKeyEnabled: true }],
    ['metadata', { metadata: { Team: 'sales' } }],
    ['metadata', { metadata: { 'zip-attempt': 'x' } }],
    ['tags', { tags: { 'a\tb': '' } }],
    ['tags', { tags: { 'AWS:a': '' } }],
  ] as const)
    it(`refuse ${JSON.stringify(options)}, in the words of the definition`, async () => {
      const fault = findBucketFault(options, 's3');
      expect(fault?.field).to.equal(field);
      const definition: unknown = parse(await readFile('crds/zipbuckets.yaml', 'utf8'));
      expect(messagesIn(definition)).to.include(`objectOptions.${field} ${fault?.problem}`);
    });

  for (const [what, options] of [
    ['an eleventh tag', { tags: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`t${n}`, ''])) }],
    ['an ACL that does not exist', { acl: 'everybody' }],
    ['a key with a space', { ...KMS, kmsKeyId: 'a b' }],
    ['a line break in a header', { cacheControl: 'a\nb' }],
  ] as const)
    it(`refuse ${what}`, () => {
      const fault = findBucketFault(options, 's3');
      expect(fault?.field).to.equal(Object.keys(options).at(-1));
    });

  const archives = [
    'application/zip',
    'application/octet-stream',
    'application/x-zip-compressed',
    'application/vnd.comicbook+zip',
    'application/vnd.etsi.asic-e+zip',
    'Application/ZIP',
    'application/zip; charset=utf-8',
  ];
  for (const contentType of archives)
    it(`accept the content type ${contentType} (N25)`, () => {
      expect(findObjectFault({ contentType, contentDisposition: 'inline' })).to.equal(undefined);
    });

  const pages = [
    'application/pdf',
    'application/x-shockwave-flash',
    'application/hta',
    'application/xml',
    'application/atom+xml',
    'application/rss+xml',
    'application/xhtml+xml',
    'application/mathml+xml',
    'application/javascript',
    'application/json',
    'application/ld+json',
    'application/wasm',
    'application/mhtml',
    'application/x-mimearchive',
    'application/xslt+xml',
    'application/vnd.mozilla.xul+xml',
    'application/vnd.a+xml+zip',
    'application/vnd.a+zip+xml',
    'application/vnd.+zip',
    'application/vnd.a+zip;x=y+zip',
    'application/vnd.ms-excel',
    'application/epub+zip',
    'application/x-vnd.a+zip',
    'application/zipped',
    'application/zip/html',
    'application/octet-stream-x',
    'application/gzip',
    'multipart/related',
    'text/html',
    'text/html;application/zip',
    'text/html, application/zip',
    'application/zip, text/html',
    'application/zip;',
    'application/zip\n',
    ' application/zip',
    'zip',
  ];
  for (const contentType of pages)
    for (const options of [{ contentType }, { contentType, contentDisposition: 'inline' }])
      it(`refuse a content type that is no archive: ${JSON.stringify(Object.values(options))} (N25)`, () => {
        expect(findObjectFault(options)?.field).to.equal('contentType');
      });

  it('yield to those of a job, and metadata and tags by name', () => {
    const bucket = { cacheControl: 'a', storageClass: 'STANDARD', tags: { team: 'sales', kept: 'yes' } };
    const job = { cacheControl: 'b', tags: { team: 'finance' }, metadata: { m: '1' } };
    expect(mergeObjectOptions(bucket, job)).to.deep.equal({
      cacheControl: 'b',
      storageClass: 'STANDARD',
      tags: { team: 'finance', kept: 'yes' },
      metadata: { m: '1' },
    });
    expect(mergeObjectOptions(bucket, {})).to.deep.equal(bucket);
  });
});
