import { expect } from 'chai';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { until } from '#test/support/until.ts';
import { FAST, followed, has, startReflector } from '../reflector-fixture.ts';
import { aNote, type Exchange } from '../scripted-api-server.ts';

const PATH = '/apis/test.dev/v1/namespaces/ns/notes';

function isRefill({ url }: Exchange): boolean {
  return url.pathname === PATH;
}

function limitsOf() {
  return { objects: 3, bytes: 100_000 };
}

describe('a namespace that is received again', () => {
  it('is listed when there is room for objects that were left out, at most every 30 s (N36)', async () => {
    const clock = createManualClock();
    await using fixture = await startReflector({ limitsOf, clock });
    const { server, reflector } = fixture;
    const all = ['a', 'b', 'c', 'd', 'e'].map((name, index) => aNote(name, index + 1));
    const watch = await followed(fixture, 10, ...all);
    expect(reflector.leftOut()).to.equal(2);
    function remove(name: string, version: number): void {
      watch.events(['DELETED', aNote(name, version)]);
    }
    function refill(n: number): Promise<Exchange> {
      return until(`list ${n} of the namespace`, async () => {
        await clock.advance(0);
        return server.seen.filter(isRefill)[n - 1];
      });
    }
    remove('a', 11);
    const first = await refill(1);
    expect(first.isWatch).to.equal(false);
    first.list(11, all.slice(1));
    await has(fixture, 'ns/d', 4);
    expect(reflector.leftOut()).to.equal(1);
    remove('b', 12);
    await until('the deletion', () => reflector.get('ns/b') === undefined);
    await clock.advance(29_999);
    expect(server.seen.filter(isRefill)).to.have.lengthOf(1);
    await clock.advance(1);
    (await refill(2)).list(12, all.slice(2));
    await has(fixture, 'ns/e', 5);
    expect(reflector.leftOut()).to.equal(0);
  });

  it('is listed once its objects may be kept whole, in pages, and again after a failure (N36)', async () => {
    const clock = createManualClock();
    const projects = new Set<string>();
    await using fixture = await startReflector({
      clock,
      keepsIdentities: (namespace) => !projects.has(namespace),
      settings: { ...FAST, pageSize: 2, silenceLimitMs: 1_000_000 },
    });
    const { server, reflector, changes } = fixture;
    (await server.next()).list(10, [aNote('a', 1)], 'more');
    (await server.next()).list(10, [aNote('b', 2)]);
    const watch = await server.next();
    await reflector.synced();
    expect([[...reflector.keys()], [...reflector.identityKeys()]]).to.deep.equal([[], ['ns/a', 'ns/b']]);
    reflector.refill('ns');
    await clock.advance(60_000);
    expect(server.seen.filter(isRefill)).to.deep.equal([]);
    projects.add('ns');
    reflector.refill('ns');
    await clock.advance(0);
    (await server.next()).json(500, { kind: 'Status', message: 'away' });
    const page = await until('another list', async () => {
      await clock.advance(30_000);
      return server.seen.filter(isRefill)[1];
    });
    expect(page.url.searchParams.get('limit')).to.equal('2');
    page.list(10, [aNote('a', 1)], 'more');
    const last = await until('the second page', () => server.seen.filter(isRefill)[2]);
    // It was deleted before the page is applied.
    watch.events(['DELETED', aNote('b', 12)], ['ADDED', aNote('c', 13)]);
    await has(fixture, 'ns/c', 13);
    last.list(10, [aNote('b', 2)]);
    await has(fixture, 'ns/a', 1);
    await until('the end of the list', () => last.closed);
    expect([...reflector.keys()].toSorted()).to.deep.equal(['ns/a', 'ns/c']);
    expect(changes.toSorted()).to.deep.equal(['set ns/a uid-a', 'set ns/c uid-c']);
  });
});

describe('a cache whose limits depend on another', () => {
  it('lists once the other has its first list (N36)', async () => {
    const other = Promise.withResolvers<void>();
    await using fixture = await startReflector({ after: [{ synced: () => other.promise }] });
    const { server } = fixture;
    await new Promise(setImmediate);
    expect(server.seen).to.deep.equal([]);
    other.resolve();
    (await server.next()).list(10, [aNote('a', 1)]);
    await has(fixture, 'ns/a', 1);
  });
});
