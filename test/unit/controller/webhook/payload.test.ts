import { expect } from 'chai';
import { deliveryIdOf } from '#controller/webhook/notification.ts';
import { webhookBody } from '#controller/webhook/payload.ts';
import { aZipJob, UUID } from '#test/support/builders/objects.ts';
import { aResult, finishedAs } from '#test/support/builders/zip-job-statuses.ts';

describe('webhookBody', () => {
  it('tells a success in exactly the promised fields, metadata as it was sent (W20)', () => {
    const zipJob = aZipJob({ status: finishedAs('Succeeded'), spec: { metadata: '{"n":1.0,"2":1,"1":2}' } });
    expect(webhookBody(zipJob, 'COMPLETED')).to.equal(
      `{"type":"COMPLETED","zip_id":"${UUID}","status":"succeeded","bucket":{"service":"s3","name":"archive"},` +
        '"key":"out/archive.zip","metadata":{"n":1.0,"2":1,"1":2}}',
    );
  });

  it('tells which files were left out on request, after the promised fields', () => {
    const result = aResult({ skipped: [0, 2], skippedCodes: { SourceNotFound: 2 } });
    const body = webhookBody(aZipJob({ status: finishedAs('Succeeded', { result }) }), 'COMPLETED');
    expect(body).to.match(/,"skipped":\[0,2\]}$/);
  });

  it('tells a failure with its code, message and file', () => {
    const status = finishedAs('Failed', {
      message: 'file 0: not there',
      failure: { code: 'SourceNotFound', fileIndex: 0, retriable: false },
    });
    expect(JSON.parse(webhookBody(aZipJob({ status }), 'FAILED'))).to.deep.equal({
      type: 'FAILED',
      zip_id: UUID,
      status: 'failed',
      bucket: { service: 's3', name: 'archive' },
      key: 'out/archive.zip',
      metadata: { order: 1 },
      error: { code: 'SourceNotFound', message: 'file 0: not there', file_index: 0 },
    });
  });

  it('names no file when the job failed for another reason', () => {
    const status = finishedAs('Failed', {
      reason: 'DeadlineExceeded',
      failure: { code: 'SourceStalled', fileIndex: 0, retriable: true },
    });
    expect(webhookBody(aZipJob({ status }), 'FAILED')).to.not.contain('file_index');
  });

  it('stays valid JSON when the metadata is none', () => {
    const zipJob = aZipJob({ status: finishedAs('Failed'), spec: { metadata: '}, "status":"succeeded"' } });
    expect(JSON.parse(webhookBody(zipJob, 'FAILED'))).to.deep.include({ metadata: {}, status: 'failed' });
  });

  const MAX_BYTES = 20_000;
  const longest = { key: '"'.repeat(1024), metadata: `{"a":"${'m'.repeat(16_376)}"}` };

  it('stays below 20 kB with the longest metadata, key and message (W14)', () => {
    for (const message of ['"'.repeat(1024), '\u{1F4E6}'.repeat(512), '\n'.repeat(1024)]) {
      const zipJob = aZipJob({ spec: longest, status: finishedAs('Failed', { message }) });
      const body = webhookBody(zipJob, 'FAILED');
      expect(Buffer.byteLength(body)).to.be.at.most(MAX_BYTES);
      const reported = JSON.parse(body) as { key: string; metadata: unknown; error: { message: string } };
      expect(reported.key).to.equal(longest.key);
      expect(reported.metadata).to.deep.equal(JSON.parse(longest.metadata));
      expect(message.startsWith(reported.error.message.replace(/\.{3}$/, ''))).to.equal(true);
    }
  });

  it('lists as many of the files that were left out as there is room for, and tells how many there are (W14)', () => {
    const skipped = Array.from({ length: 10_000 }, (_, index) => index);
    const status = finishedAs('Succeeded', { result: aResult({ skipped }) });
    for (const spec of [longest, {}]) {
      const body = webhookBody(aZipJob({ spec, status }), 'COMPLETED');
      expect(Buffer.byteLength(body)).to.be.within(MAX_BYTES - 4000, MAX_BYTES);
      const reported = JSON.parse(body) as { skipped: number[]; skipped_total: number };
      expect(reported.skipped).to.deep.equal(skipped.slice(0, reported.skipped.length));
      expect(reported.skipped_total).to.equal(10_000);
    }
  });

  it('is delivered with its metadata even when a job that was made by hand has more than fits (W14)', () => {
    const metadata = `{"a":"${'\u20ac'.repeat(16_000)}"}`;
    const zipJob = aZipJob({ spec: { metadata }, status: finishedAs('Failed', { message: 'x'.repeat(99) }) });
    const reported = JSON.parse(webhookBody(zipJob, 'FAILED')) as { metadata: unknown; error: unknown };
    expect(reported.metadata).to.deep.equal(JSON.parse(metadata));
    expect(reported.error).to.include({ message: '...' });
  });

  it('names a job made by hand by its uid, and the service by its ZipBucket', () => {
    const byHand = aZipJob({ metadata: { name: 'by-hand' }, status: finishedAs('Succeeded') });
    const { service: _service, ...spec } = byHand.spec;
    const zipJob = { ...byHand, spec: { ...spec, bucketRef: { name: 'r2-cold' } } };
    expect(JSON.parse(webhookBody(zipJob, 'COMPLETED'))).to.deep.include({
      zip_id: 'uid-zipjob',
      bucket: { service: 'r2', name: 'cold' },
    });
  });
});

describe('deliveryIdOf', () => {
  it('is the same for each attempt, another for each event, and has no dots (W5)', () => {
    const id = deliveryIdOf(aZipJob(), 'COMPLETED');
    expect(id).to.equal(deliveryIdOf(aZipJob(), 'COMPLETED'));
    expect(id).to.not.equal(deliveryIdOf(aZipJob(), 'FAILED'));
    expect(id).to.match(/^[^.]+$/);
  });
});
