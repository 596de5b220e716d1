import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { generateToken } from '#crds/api-token.ts';
import { unreachable } from '#test/support/builders/fake-objects.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import {
  A_REQUEST,
  type ApiServer,
  aProject,
  aToken,
  startApiServer,
} from '#test/support/servers/api-server.ts';

const UNKNOWN_ID = '6f1c1f0e-0000-4000-8000-000000000000';

describe('GET /zips/:id', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer({ maxBodyBytes: 64 * 1024 });
  });
  afterEach(async () => {
    await api[Symbol.asyncDispose]();
  });

  describe('job status', () => {
    async function create(): Promise<string> {
      return (await api.post(A_REQUEST)).body.data?.uuid ?? '';
    }
    function finish(uuid: string, phase: 'Succeeded' | 'Failed' | 'Running' | 'Cancelled'): void {
      const job = api.jobs.all().find(({ metadata }) => metadata.name === `zip-${uuid}`);
      if (job) api.jobs.put({ ...job, status: { phase } });
    }

    const statuses = [
      ['Running', 'processing'],
      ['Succeeded', 'succeeded'],
      ['Failed', 'failed'],
      ['Cancelled', 'failed'],
    ] as const;
    for (const [phase, status] of statuses) {
      it(`returns ${status} for ${phase}`, async () => {
        const uuid = await create();
        finish(uuid, phase);
        const reply = await api.ask({ path: `/v1/zips/${uuid}` });
        expect(reply.text).to.equal(`{"data":{"uuid":"${uuid}","status":"${status}","metadata":{}}}`);
      });
    }

    it('reads an unfinished job from the API server and a finished job from the cache', async () => {
      const uuid = await create();
      api.jobs.calls.length = 0;
      await api.ask({ path: `/v1/zips/${uuid}` });
      expect(api.jobs.calls).to.deep.equal([`get team-a/zip-${uuid}`]);
      finish(uuid, 'Succeeded');
      api.jobs.fail(unreachable());
      const reply = await api.ask({ path: `/v1/zips/${uuid}` });
      expect(reply.body.data?.status).to.equal('succeeded');
    });

    it('returns {} for metadata that is not an object', async () => {
      const uuid = await create();
      const [job] = api.jobs.all();
      if (job) api.jobs.put({ ...job, spec: { ...job.spec, metadata: '[1' } });
      expect((await api.ask({ path: `/v1/zips/${uuid}` })).body.data?.metadata).to.deep.equal({});
    });

    it('returns the same 404 for unknown, malformed and foreign IDs (T7)', async () => {
      const uuid = await create();
      const other = generateToken();
      api.projects.put(aProject('team-b'));
      api.tokens.put(aToken('team-b', other));
      const foreign = await api.ask({ path: `/v1/zips/${uuid}`, token: other });
      expect(foreign.status).to.equal(404);
      expect(foreign.body.error).to.include({
        type: 'invalid_request_error',
        code: 'resource_not_found',
        param: null,
      });
      for (const id of [UNKNOWN_ID, 'abc', uuid.toUpperCase(), `${uuid}x`, '%ff', 'a%2Fb'])
        expect((await api.ask({ path: `/v1/zips/${id}` })).text, id).to.equal(foreign.text);
    });

    it('treats encoded dots as an ID (T25)', async () => {
      const reply = await rawHttp(api.port, [
        `GET /v1/zips/%2e%2e HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.token}\r\nConnection: close\r\n\r\n`,
      ]);
      expect(reply).to.match(/^HTTP\/1.1 404 /);
      expect(reply).to.include('Zip not found in this project');
    });

    it('returns 403 for a token that has only the create permission', async () => {
      const token = generateToken();
      api.tokens.put(aToken('team-a', token, { name: 'writer', permissions: ['create'] }));
      expect((await api.ask({ path: `/v1/zips/${UNKNOWN_ID}`, token })).status).to.equal(403);
    });

    it('responds to HEAD like GET without the body (T25)', async () => {
      const uuid = await create();
      const status = await new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${api.token}` };
        httpRequest(`${api.url}/v1/zips/${uuid}`, { method: 'HEAD', headers }, (response) => {
          response.resume().on('end', () => {
            resolve(response.statusCode);
          });
        })
          .on('error', reject)
          .end();
      });
      expect(status).to.equal(200);
    });

    it('returns 503 if the API server does not respond in time', async () => {
      await using slow = await startApiServer({ workTimeoutMs: 50 });
      const { promise, resolve } = Promise.withResolvers<void>();
      slow.jobs.holdUntil(promise);
      const reply = await askApi(slow.url, { token: slow.token, path: `/v1/zips/${UNKNOWN_ID}` });
      resolve();
      expect(reply.status).to.equal(503);
      expect(reply.body.error?.type).to.equal('api_error');
    });
  });
});
