import { Readable } from 'node:stream';
import { expect } from 'chai';
import { retryRequests } from '#cli/retry-requests.ts';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { until } from '#test/support/until.ts';

/** An API server that fails with these errors, one for each request, and then responds. */
function start(failures: readonly KubeError[]) {
  const controller = new AbortController();
  let count = 0;
  async function respond<T>(response: T): Promise<T> {
    await Promise.resolve();
    count += 1;
    const failure = failures[count - 1];
    if (failure) throw failure;
    return response;
  }
  const kube = retryRequests(
    {
      server: 'https://example.test',
      request: () => respond({ ok: true }),
      stream: () => respond(Readable.from(['line'])),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    controller.signal,
  );
  function send(method: KubeRequest['method'], signal?: AbortSignal): Promise<unknown> {
    return kube.request({ method, path: '/x', signal }).catch((error: unknown) => error);
  }
  return { kube, send, controller, count: () => count };
}

function failure(code: KubeErrorCode, retryAfterMs?: number): KubeError {
  return new KubeError('why', { attempt: 'GET /x', httpStatus: 503, code, retryAfterMs });
}

function times(count: number, error: KubeError): readonly KubeError[] {
  return Array.from({ length: count }, () => error);
}

describe('retryRequests', function () {
  this.timeout(60_000);

  it('sends a read again after failures of the API server, also of a stream (UI3)', async () => {
    const { kube, send, count } = start(times(2, failure('ServerError')));
    expect(await send('GET')).to.deep.equal({ ok: true });
    expect(count()).to.equal(3);
    const log = start(times(1, failure('TooManyRequests', 1)));
    expect(await log.kube.stream({ method: 'GET', path: '/log' })).to.be.instanceOf(Readable);
    expect([kube.server, log.count()]).to.deep.equal(['https://example.test', 2]);
  });

  it('gives up after three more tries, with the last failure (UI3)', async () => {
    const error = failure('ServerError', 1);
    const { send, count } = start(times(9, error));
    expect(await send('GET')).to.equal(error);
    expect(count()).to.equal(4);
  });

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
    it(`sends a ${method} once if it may have had an effect, and again if it had none (UI3)`, async () => {
      for (const code of ['ServerError', 'Timeout', 'Unreachable'] as const) {
        const { send, count } = start(times(1, failure(code)));
        expect(await send(method)).to.have.property('code', code);
        expect(count()).to.equal(1);
      }
      const { send, count } = start(times(1, failure('TooManyRequests', 1)));
      expect(await send(method)).to.deep.equal({ ok: true });
      expect(count()).to.equal(2);
    });

  for (const code of ['NotFound', 'Forbidden', 'Unauthorized', 'Conflict', 'Timeout', 'Unreachable'] as const)
    it(`reports ${code} at once (UI3)`, async () => {
      const { send, count } = start(times(1, failure(code)));
      expect(await send('GET')).to.have.property('code', code);
      expect(count()).to.equal(1);
    });

  it('does not wait for a Retry-After that is longer than a command may seem to hang (UI3)', async () => {
    const { send, count } = start(times(1, failure('TooManyRequests', 60_000)));
    expect(await send('GET')).to.have.property('code', 'TooManyRequests');
    expect(count()).to.equal(1);
  });

  it('stops when the program or the request is interrupted, with the last failure (UI3)', async () => {
    for (const which of ['program', 'request'] as const) {
      const own = new AbortController();
      const { send, controller, count } = start(times(9, failure('TooManyRequests', 9_000)));
      const end = send('GET', own.signal);
      await until('the first request', () => count() === 1);
      (which === 'program' ? controller : own).abort();
      expect(await end).to.have.property('code', 'TooManyRequests');
      expect(count()).to.equal(1);
    }
  });
});
