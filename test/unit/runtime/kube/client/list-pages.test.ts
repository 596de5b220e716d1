import { expect } from 'chai';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { aNote, NOTES, startScriptedApiServer } from '../scripted-api-server.ts';

describe('a list of large objects', () => {
  function large(name: string) {
    return { ...aNote(name, 1), data: { a: 'x'.repeat(1_400_000) } };
  }
  const names = Array.from({ length: 20 }, (_, n) => `n${n}`);

  /** Responds like the API server, with the pages that the client requests. */
  async function serve(server: Awaited<ReturnType<typeof startScriptedApiServer>>, limits: number[]) {
    for (;;) {
      const request = await server.next();
      const { searchParams } = request.url;
      const limit = Number(searchParams.get('limit'));
      limits.push(limit);
      const start = Number(searchParams.get('continue') ?? 0);
      const end = start + limit;
      request.list(1, names.slice(start, end).map(large), end < names.length ? String(end) : '');
      if (end >= names.length) return;
    }
  }

  it('is read in pages of at most 16 MiB (N2)', async () => {
    // A busy machine takes seconds for the first response.
    await using server = await startScriptedApiServer({ requestTimeoutMs: 15_000 });
    const limits: number[] = [];
    async function serveAll(): Promise<void> {
      await serve(server, limits); // 500 objects: too large
      await serve(server, limits); // 125
      await serve(server, limits); // 31
      await serve(server, limits); // 7
    }
    const list = createObjectClient(server.kube, NOTES).list({ namespace: 'ns' });
    const [listed] = await Promise.all([list, serveAll()]);
    expect(listed.map(({ metadata }) => metadata.name)).to.deep.equal(names);
    expect(limits).to.deep.equal([500, 125, 31, 7, 7, 7]);
  });

  it('fails when it exceeds its limit (N2)', async () => {
    await using server = await startScriptedApiServer();
    const listed = createObjectClient(server.kube, NOTES)
      .list({ namespace: 'ns', maxBytes: 2_000_000 })
      .catch((error: unknown) => error);
    const request = await server.next();
    request.list(1, ['a', 'b'].map(large));
    expect(await listed).to.include({ code: 'TooLarge', retryable: false });
  });

  it('can request only the metadata of the objects (UI9)', async () => {
    await using server = await startScriptedApiServer();
    const options = { namespace: 'ns', pageSize: 500, metadataOnly: true };
    const first = listPages(server.kube, NOTES, options).next();
    const request = await server.next();
    request.list(1, [aNote('a', 1)]);
    expect(request.headers.accept).to.match(/^application\/json;as=PartialObjectMetadataList;/);
    expect((await first).done).to.equal(false);
  });
});
