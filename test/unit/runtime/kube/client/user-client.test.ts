import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { asUser } from '#runtime/kube/client/user-client.ts';

const GET = { method: 'GET', path: '/api/v1/x' } as const;

function caught(task: Promise<unknown>): Promise<unknown> {
  return task.catch((error: unknown) => error);
}

/** A server that does not respond; `heedless`: calls also ignore their signal. */
function silent(isHeedless: boolean): KubeClient & { readonly sent: KubeRequest[] } {
  const sent: KubeRequest[] = [];
  function wait(request: KubeRequest): Promise<never> {
    sent.push(request);
    return new Promise((_, reject) => {
      if (!isHeedless)
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason as Error));
    });
  }
  return {
    server: 'https://kubernetes.test',
    sent,
    request: wait,
    stream: wait,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function timeLimit(): AbortController & { end(): void } {
  return Object.assign(new AbortController(), {
    end(this: AbortController) {
      this.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    },
  });
}

describe('asUser', () => {
  for (const isHeedless of [false, true])
    it(`ends every call with a Timeout at the time limit of the request${isHeedless ? ', also one that ignores its signal' : ''} (UI46)`, async () => {
      const limit = timeLimit();
      const kube = silent(isHeedless);
      const user = asUser(kube, 'token', limit.signal);
      const running = [
        user.request(GET),
        user.stream(GET),
        user.request({ ...GET, signal: limit.signal }),
      ].map(caught);
      limit.end();
      for (const error of [...(await Promise.all(running)), await caught(user.request(GET))])
        expect(error)
          .to.include({ code: 'Timeout', retryable: true })
          .and.to.have.property('message')
          .that.contains('GET /api/v1/x: no response from the API server within the time limit');
      expect(kube.sent).to.have.lengthOf(3);
      expect(kube.sent.map(({ bearer }) => bearer)).to.deep.equal(['token', 'token', 'token']);
    });

  it("passes on the caller's own abort and every other failure (UI46)", async () => {
    const limit = timeLimit();
    const caller = new AbortController();
    const running = caught(
      asUser(silent(false), 'token', limit.signal).request({ ...GET, signal: caller.signal }),
    );
    const reason = new Error('enough');
    caller.abort(reason);
    expect(await running).to.equal(reason);
    const refusal = new Error('refused');
    const refusing = { ...silent(false), request: () => Promise.reject(refusal) };
    expect(await caught(asUser(refusing, 'token', limit.signal).request(GET))).to.equal(refusal);
    const responding = { ...silent(false), stream: () => Promise.resolve(Readable.from(['text'])) };
    expect(await (await asUser(responding, 'token', limit.signal).stream(GET)).toArray()).to.deep.equal([
      'text',
    ]);
  });
});
