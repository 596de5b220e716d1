/** Long URLs, through every layer from the request to the zipper's reader of the file list. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { API_SETTINGS } from '#api/config.ts';
import { FILE_LIST_SECRET_KEY, fileListMountName } from '#crds/zipper-contract.ts';
import { checkBody } from '#test/support/builders/check-body.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';
import { readFileList } from '#zipper-image/sources/file-list.ts';
import { SOURCE_CONSTANTS } from '#zipper-image/sources/settings.ts';

const FILES = 10_000;
const MIB = 1024 * 1024;
/** The API server refuses larger Secrets. */
const MAX_SECRET_BYTES = MIB;

/** A presigned URL with the token of a role. Nothing of token and signature can be compressed but their encoding. */
function presigned(index: number, length: number): string {
  const start = `https://reports.s3.eu-central-1.amazonaws.com/2026/${index}.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Security-Token=`;
  const end = `&X-Amz-Signature=${randomBytes(32).toString('hex')}`;
  const token = randomBytes(length).toString('base64url');
  return `${start}${token.slice(0, length - start.length - end.length)}${end}`;
}

function requestOf(count: number, length: number) {
  return {
    ...A_REQUEST,
    urls: Array.from({ length: count }, (_, index) => ({
      url: presigned(index, length),
      filename: `reports/2026/${index}.pdf`,
    })),
  };
}

describe('long URLs', function () {
  this.timeout(60_000);
  let api: ApiServer;
  before(async () => {
    api = await startApiServer({
      maxBodyBytes: API_SETTINGS.maxBodyBytes.default,
      maxUrlLength: API_SETTINGS.maxUrlLength.default,
      maxFileListBytes: API_SETTINGS.maxFileListBytesPerProject.default,
      inFlight: { maxBodyBytes: API_SETTINGS.maxBodyBytesInFlight.default },
      workTimeoutMs: 60_000,
    });
  });
  after(() => api[Symbol.asyncDispose]());

  /** The list of the only job as the zipper reads it. */
  async function storedList() {
    const [job] = api.jobs.all();
    const { secretNames = [], count = 0, sha256 = '' } = job?.spec.filesFrom ?? {};
    const directory = await mkdtemp(join(tmpdir(), 'zipjobs-list-'));
    try {
      for (const [chunk, name] of secretNames.entries()) {
        const secret = await api.secrets.client.get('team-a', name);
        const bytes = Buffer.from(secret?.data?.[FILE_LIST_SECRET_KEY] ?? '', 'base64');
        expect(bytes.length).to.be.within(1, MAX_SECRET_BYTES);
        await writeFile(join(directory, fileListMountName(chunk)), bytes);
      }
      const maxBytes = SOURCE_CONSTANTS.fileListMaxBytes;
      const { signal } = new AbortController();
      return await readFileList({ directory, chunks: secretNames.length, count, sha256, maxBytes, signal });
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  it('of 1,964 characters, 10,000 of them, reach the zipper as they were sent (FD6)', async () => {
    const request = requestOf(FILES, 1_964);
    const response = await api.post(request);
    expect(response.status, response.text).to.equal(201);
    // Not a deep comparison, which takes seconds.
    expect(JSON.stringify(await storedList()) === JSON.stringify(request.urls)).to.equal(true);
  });

  it('have a second more for each MiB to be stored in a slow API server (FD6)', async () => {
    await using slow = await startApiServer({ workTimeoutMs: 100 });
    async function statusFor(count: number): Promise<number> {
      const { length } = slow.secrets.calls;
      const isCalled = until('a Secret to be sent', () => slow.secrets.calls.length > length);
      slow.secrets.holdUntil(isCalled.then(() => setTimeout(500)));
      return (await slow.post(requestOf(count, 8_192))).status;
    }
    expect([await statusFor(1), await statusFor(512)]).to.deep.equal([503, 201]);
  });

  it('are accepted up to 8,192 characters (FD6)', async () => {
    expect((await api.post(requestOf(2, 8_192))).status).to.equal(201);
    const { status, body } = await api.post(requestOf(2, 8_193));
    expect([status, body.error?.message]).to.deep.equal([422, 'urls[0].url is longer than 8192 characters.']);
  });

  it('are accepted up to 24 MiB in all, and else refused with the number that fits (FD6)', () => {
    const length = 8_192;
    const limits = { maxFiles: FILES, maxUrlLength: length, maxKeyBytes: 1_024, maxMetadataBytes: 16_384 };
    const fitting = (24 * MIB) / length;
    expect(() => checkBody(requestOf(fitting + 1, length), {}, { limits }))
      .to.throw(
        `These URLs have ${24 * MIB + length} bytes; at most 24 MiB: about ${fitting} of these entries fit. Split the files into several archives.`,
      )
      .that.includes({ status: 422, code: 'parameter_invalid', param: 'urls' });
    expect(checkBody(requestOf(fitting, length), {}, { limits }).files).to.have.length(fitting);
  });
});
