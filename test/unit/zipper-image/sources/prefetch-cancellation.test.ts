import { expect } from 'chai';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { until } from '#test/support/until.ts';
import { bodyOf, failureOf, readAll, withReader } from './source-harness.ts';

describe('createSourceReader: failures and cancellation', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    origin = await startFileOrigin();
  });
  afterEach(() => origin[Symbol.asyncDispose]());

  function urls(paths: readonly string[]): string[] {
    return paths.map((path) => origin.url(path));
  }

  describe('failures', () => {
    it('rejects with the earliest failing entry, after all previous entries', async () => {
      const seen: number[] = [];
      const slow = await startFileOrigin({ latencyMs: 50 });
      const list = [slow.url('/gen/1000/1'), slow.url('/status/403'), ...urls(['/status/404', '/gen/10/1'])];
      const error = await failureOf(
        withReader(list, async (reader) => {
          for await (const entry of reader.entries()) {
            seen.push(entry.index);
            await bodyOf(entry);
          }
        }),
      );
      expect(seen).to.deep.equal([0]);
      expect(error).to.include({ fileIndex: 1, httpStatus: 403 });
      await slow[Symbol.asyncDispose]();
    });

    it('delivers no byte twice when it repeats a source after bytes were delivered (D7)', async () => {
      const seen: number[] = [];
      const error = await failureOf(
        withReader(
          urls(['/die/3000000/9000000/1']),
          async (reader) => {
            for await (const entry of reader.entries()) {
              expect(entry.small).to.equal(undefined);
              for await (const chunk of entry.body) seen.push(chunk.byteLength);
            }
          },
          { settings: { sourceRetryLimitMs: 1 } },
        ),
      );
      expect(error.code).to.equal('SourceTruncated');
      expect(origin.requests.length).to.be.greaterThan(1);
      expect(seen.reduce((sum, bytes) => sum + bytes, 0)).to.be.at.most(3_000_000);
    });

    it('rejects again if the consumer ignores the error of a body', async () => {
      const error = await failureOf(
        withReader(
          urls(['/die/3000000/9000000/1', '/gen/10/1']),
          async (reader) => {
            for await (const entry of reader.entries()) await bodyOf(entry).catch(() => undefined);
          },
          { settings: { sourceRetryLimitMs: 0 } },
        ),
      );
      expect(error).to.include({ fileIndex: 0, code: 'SourceTruncated' });
    });

    it('stops all requests after a failure', async () => {
      const list = urls([
        '/status/404',
        ...Array.from({ length: 10 }, (_, index) => `/drip/10/20/100000/${index}`),
      ]);
      await withReader(list, async (reader) => {
        await failureOf(readAll(reader));
        await until('closed connections', () => origin.openConnections <= 1, { limitMs: 15_000 });
      });
    });
  });

  describe('cancellation', () => {
    const drips = Array.from({ length: 10 }, (_, index) => `/drip/10/20/100000/${index}`);

    it('closes all sockets if the consumer leaves the loop', async () => {
      await withReader(urls(['/gen/10/1', ...drips]), async (reader) => {
        for await (const entry of reader.entries()) {
          expect(entry.index).to.equal(0);
          break;
        }
        await until('closed connections', () => origin.openConnections <= 1, { limitMs: 15_000 });
      });
      await until('no connection', () => origin.openConnections === 0, { limitMs: 15_000 });
    });

    it('closes all sockets if it is disposed of during a body', async () => {
      await withReader(urls(['/gen/50000000/1', ...drips]), async (reader) => {
        const entries = reader.entries()[Symbol.asyncIterator]();
        const first = await entries.next();
        expect(first.done).to.equal(false);
        await reader[Symbol.asyncDispose]();
        const error = await (first.done ? undefined : bodyOf(first.value).catch((thrown: unknown) => thrown));
        expect(error).to.have.property('name', 'AbortError');
      });
      await until('no connection', () => origin.openConnections === 0, { limitMs: 15_000 });
    });

    it('rejects immediately with the reason of the signal, whatever it waits for', async () => {
      for (const path of ['/silent', '/stall/10/1000/1', '/stall/2000000/5000000/1', '/flaky/9/503/10/1']) {
        const stop = new AbortController();
        const reason = new Error('stopping');
        const thrown = await withReader(
          urls([path]),
          async (reader) => {
            const reading = readAll(reader).catch((error: unknown) => error);
            await until('a request', () => origin.requests.length > 0, { limitMs: 15_000 });
            stop.abort(reason);
            return reading;
          },
          { signal: stop.signal, settings: { sourceRetryBaseMs: 60_000, sourceRetryMaxMs: 60_000 } },
        );
        expect(thrown, path).to.equal(reason);
      }
    });

    it('sends no request if the signal is already aborted', async () => {
      const reason = new Error('stopping');
      const thrown = await withReader(
        urls(['/gen/1/1']),
        (reader) => readAll(reader).catch((error: unknown) => error),
        {
          signal: AbortSignal.abort(reason),
        },
      );
      expect(thrown).to.equal(reason);
      expect(origin.connections).to.equal(0);
    });

    it('continues with the next entry if a body is not read completely', async () => {
      const seen: number[] = [];
      await withReader(urls(['/gen/30000000/1', '/gen/10/2', '/gen/2000000/3']), async (reader) => {
        for await (const entry of reader.entries()) {
          seen.push(entry.index);
          if (entry.index === 0) for await (const _ of entry.body) break;
          else await bodyOf(entry);
        }
      });
      expect(seen).to.deep.equal([0, 1, 2]);
    });
  });
});
