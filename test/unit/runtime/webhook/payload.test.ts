import { expect } from 'chai';
import { expandedFields } from '#api/read/expanded-fields.ts';
import { deliveryIdOf } from '#controller/webhook/retries.ts';
import type { WebhookEvent, ZipJob } from '#crds/zip-job.ts';
import { webhookBody } from '#runtime/webhook/payload.ts';
import { aZipJob, UUID } from '#test/support/builders/objects.ts';
import { aResult, aSourceCheck, finishedAs } from '#test/support/builders/zip-job-statuses.ts';

const HELP_URL = 'https://zips.example.com/docs';

function bodyOf(zipJob: ZipJob, event: WebhookEvent, helpUrl = HELP_URL): string {
  return webhookBody(zipJob, event, helpUrl);
}

describe('webhookBody', () => {
  it('reports a success with exactly the documented fields and the unchanged metadata (W20)', () => {
    const zipJob = aZipJob({ status: finishedAs('Succeeded'), spec: { metadata: '{"n":1.0,"2":1,"1":2}' } });
    expect(bodyOf(zipJob, 'COMPLETED')).to.equal(
      `{"type":"COMPLETED","zip_id":"${UUID}","status":"succeeded","bucket":{"service":"s3","name":"archive"},` +
        '"key":"out/archive.zip","metadata":{"n":1.0,"2":1,"1":2}}',
    );
  });

  it('lists skipped files after the documented fields', () => {
    const result = aResult({ skipped: [0, 2], skippedCodes: { SourceNotFound: 2 } });
    const body = bodyOf(aZipJob({ status: finishedAs('Succeeded', { result }) }), 'COMPLETED');
    expect(body).to.match(/,"skipped":\[0,2\]}$/);
  });

  it('reports a failure with its code, message and file', () => {
    const status = finishedAs('Failed', {
      message: 'file 0: not there',
      failure: { code: 'SourceNotFound', fileIndex: 0, httpStatus: 404, retriable: false },
    });
    expect(JSON.parse(bodyOf(aZipJob({ status }), 'FAILED'))).to.deep.equal({
      type: 'FAILED',
      zip_id: UUID,
      status: 'failed',
      bucket: { service: 's3', name: 'archive' },
      key: 'out/archive.zip',
      metadata: { order: 1 },
      error: {
        code: 'SourceNotFound',
        message: 'file 0: not there',
        file_index: 0,
        files: [{ file_index: 0, code: 'SourceNotFound', http_status: 404 }],
        files_total: 1,
        http_status: 404,
        retriable: false,
        help: 'https://zips.example.com/docs#SourceNotFound',
        files_checked: null,
        predicted_size: null,
        predicted_files: 0,
      },
    });
  });

  it('names no file when no file caused the failure', () => {
    const status = finishedAs('Failed', {
      reason: 'DeadlineExceeded',
      failure: { code: 'SourceStalled', fileIndex: 0, retriable: true },
    });
    const { error } = JSON.parse(bodyOf(aZipJob({ status }), 'FAILED')) as { error: unknown };
    expect(error).to.include({ file_index: null, files_total: 0, retriable: true });
  });

  it('reports the error that the API reports with expand=error (Q-A5)', () => {
    const failure = { code: 'SourceNotFound', fileIndex: 0, retriable: false } as const;
    for (const change of [
      { message: 'file 0', failure, sourceCheck: aSourceCheck(7) },
      { message: 'file 0', failure: { ...failure, httpStatus: 404 } },
      { reason: 'BackoffLimitExceeded', message: 'see https://a.example.com/x?sig=SECRET' },
      {},
    ]) {
      const zipJob = aZipJob({ status: finishedAs('Failed', change) });
      const { error } = expandedFields(zipJob, ['error'], { helpUrl: HELP_URL });
      const body = bodyOf(zipJob, 'FAILED');
      expect(JSON.parse(body)).to.have.property('error').that.deep.equals(error);
      expect(body).not.to.contain('SECRET');
    }
  });

  it('is valid JSON even if the metadata is not', () => {
    const zipJob = aZipJob({ status: finishedAs('Failed'), spec: { metadata: '}, "status":"succeeded"' } });
    expect(JSON.parse(bodyOf(zipJob, 'FAILED'))).to.deep.include({ metadata: {}, status: 'failed' });
  });

  const MAX_BYTES = 20_000;
  const longestUrl = `https://${'h'.repeat(292)}`;
  const longest = { key: '"'.repeat(1024), metadata: `{"a":"${'m'.repeat(16_376)}"}` };

  it('stays below 20 kB with the longest metadata, key and message (W14)', () => {
    for (const message of ['"'.repeat(1024), '\u{1F4E6}'.repeat(512), '\n'.repeat(1024)]) {
      const zipJob = aZipJob({ spec: longest, status: finishedAs('Failed', { message }) });
      const body = bodyOf(zipJob, 'FAILED', longestUrl);
      expect(Buffer.byteLength(body)).to.be.at.most(MAX_BYTES);
      const reported = JSON.parse(body) as { key: string; metadata: unknown; error: { message: string } };
      expect(reported.key).to.equal(longest.key);
      expect(reported.metadata).to.deep.equal(JSON.parse(longest.metadata));
      expect(message.startsWith(reported.error.message.replace(/\.{3}$/, ''))).to.equal(true);
    }
  });

  it('lists as many skipped files as fit, with their total number (W14)', () => {
    const skipped = Array.from({ length: 10_000 }, (_, index) => index);
    const status = finishedAs('Succeeded', { result: aResult({ skipped }) });
    for (const spec of [longest, {}]) {
      const body = bodyOf(aZipJob({ spec, status }), 'COMPLETED');
      expect(Buffer.byteLength(body)).to.be.within(MAX_BYTES - 4000, MAX_BYTES);
      const reported = JSON.parse(body) as { skipped: number[]; skipped_total: number };
      expect(reported.skipped).to.deep.equal(skipped.slice(0, reported.skipped.length));
      expect(reported.skipped_total).to.equal(10_000);
    }
  });

  interface Reported {
    readonly error: { message: string; files: { file_index: number }[]; files_total: number };
  }

  it('lists the first twenty failing files, with the number of all (C4)', () => {
    const failure = { code: 'SourceNotFound', fileIndex: 0, retriable: false };
    const status = finishedAs('Failed', { message: 'file 0', failure, sourceCheck: aSourceCheck(137) });
    const body = bodyOf(aZipJob({ status }), 'FAILED');
    expect(bodyOf(structuredClone(aZipJob({ status })), 'FAILED')).to.equal(body);
    const { error } = JSON.parse(body) as Reported;
    expect(Object.keys(error).slice(0, 5)).to.deep.equal([
      'code',
      'message',
      'file_index',
      'files',
      'files_total',
    ]);
    expect(error.files_total).to.equal(137);
    expect(error.files).to.have.length(20);
    expect(error.files.slice(0, 2)).to.deep.equal([
      { file_index: 0, code: 'SourceNotFound', http_status: 404 },
      { file_index: 73, code: 'SourceUnreachable', http_status: null },
    ]);
  });

  it('stays below 20 kB with the longest fields and failing files, whose number it always contains (C4)', () => {
    for (const message of ['"'.repeat(1024), '\u{1F4E6}'.repeat(512), 'short'])
      for (const metadata of [longest.metadata, '{}']) {
        const status = finishedAs('Failed', { message, sourceCheck: aSourceCheck(10_000) });
        const body = bodyOf(aZipJob({ spec: { ...longest, metadata }, status }), 'FAILED', longestUrl);
        expect(Buffer.byteLength(body)).to.be.at.most(MAX_BYTES);
        const reported = JSON.parse(body) as Reported & { key: string; metadata: unknown };
        expect([reported.key, reported.metadata]).to.deep.equal([longest.key, JSON.parse(metadata)]);
        expect(reported.error.files_total).to.equal(10_000);
        expect(reported.error.files.length).to.be.within(metadata === '{}' ? 20 : 0, 20);
        expect(message.startsWith(reported.error.message.replace(/\.{3}$/, ''))).to.equal(true);
      }
  });

  it('lists no failing files if the metadata leaves no room (C4)', () => {
    const metadata = `{"a":"${'\u20ac'.repeat(16_000)}"}`;
    const status = finishedAs('Failed', { message: 'x', sourceCheck: aSourceCheck(137) });
    const reported = JSON.parse(bodyOf(aZipJob({ spec: { metadata }, status }), 'FAILED')) as Reported;
    expect([reported.error.files, reported.error.files_total]).to.deep.equal([[], 137]);
  });

  it('includes the metadata of a job created with kubectl even if it exceeds the limit (W14)', () => {
    const metadata = `{"a":"${'\u20ac'.repeat(16_000)}"}`;
    const zipJob = aZipJob({ spec: { metadata }, status: finishedAs('Failed', { message: 'x'.repeat(99) }) });
    const reported = JSON.parse(bodyOf(zipJob, 'FAILED')) as { metadata: unknown; error: unknown };
    expect(reported.metadata).to.deep.equal(JSON.parse(metadata));
    expect(reported.error).to.include({ message: '...' });
  });

  it('uses the uid as id of a job created with kubectl, and takes the service from its ZipBucket', () => {
    const byHand = aZipJob({ metadata: { name: 'by-hand' }, status: finishedAs('Succeeded') });
    const { service: _service, ...spec } = byHand.spec;
    const zipJob = { ...byHand, spec: { ...spec, bucketRef: { name: 'r2-cold' } } };
    expect(JSON.parse(bodyOf(zipJob, 'COMPLETED'))).to.deep.include({
      zip_id: 'uid-zipjob',
      bucket: { service: 'r2', name: 'cold' },
    });
  });
});

describe('deliveryIdOf', () => {
  it('is the same for every attempt, differs per event, and has no dots (W5)', () => {
    const id = deliveryIdOf(aZipJob(), 'COMPLETED');
    expect(id).to.equal(deliveryIdOf(aZipJob(), 'COMPLETED'));
    expect(id).to.not.equal(deliveryIdOf(aZipJob(), 'FAILED'));
    expect(id).to.match(/^[^.]+$/);
  });
});
