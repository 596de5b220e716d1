import { expect } from 'chai';
import { createAdministration } from '#administration/administration.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { aBucket, aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';

const PAGES = 5;
const PAGE_BYTES = 15 * 1_024 * 1_024;

describe('the deletion of a bucket', () => {
  it('names the jobs that refer to it, however large they are together (UI14)', async () => {
    const objects = createObjectsByPath();
    objects.put(COLLECTIONS.projects, aProject(TEAM));
    objects.put(COLLECTIONS.buckets, aBucket(TEAM, 's3', 'reports'));
    function page({ query, onBytes }: KubeRequest): unknown {
      const at = Number(query?.['continue'] ?? 0);
      onBytes?.(PAGE_BYTES);
      const phase = at === 0 ? 'Running' : 'Succeeded';
      const job = aZipJob({ metadata: { namespace: TEAM, name: `zip-${at}` }, status: { phase } });
      return { metadata: at + 1 < PAGES ? { continue: String(at + 1) } : {}, items: [job] };
    }
    const kube = {
      server: 'https://kubernetes.test',
      request: async (request: KubeRequest) =>
        request.path === COLLECTIONS.zipJobs ? page(request) : objects.respond(request),
      stream: () => Promise.reject(new Error('no stream')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const error: unknown = await createAdministration({ kube, clock: systemClock })
      .buckets(TEAM)
      .delete({ service: 's3', bucketName: 'reports' }, { limitMs: 0 })
      .catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'InUse' });
    expect(String(error)).to.contain('(1 unfinished and 4 finished), such as zip-0. ');
  });
});
