import { expect } from 'chai';
import { createUsers } from '#dashboard/user/user.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  type DashboardServer,
  startStaffedDashboard,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

const SEE = { verb: 'get', resource: 'zipprojects', name: 'project' } as const;

describe('access reviews', () => {
  describe('of a user', () => {
    let nowMs: number;
    let reviews: number;
    let isAllowed: boolean;
    let gate: Promise<void> | undefined;
    function userOf() {
      const kube: KubeClient = {
        server: 'https://kubernetes.test',
        request: async () => {
          reviews += 1;
          await gate;
          return { status: { allowed: isAllowed } };
        },
        stream: () => Promise.reject(new Error('not used')),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
      const clock = { ...systemClock, monotonicMs: () => nowMs };
      const users = createUsers({ kube, clock });
      return (limit: AbortSignal) =>
        users({ id: 'session', user: 'vera', token: 'token', csrf: '', endsAtMs: 0 }, limit);
    }
    beforeEach(() => {
      [nowMs, reviews, isAllowed, gate] = [1_000, 0, true, undefined];
    });

    it('that a page makes serve the menu around it', async () => {
      const user = userOf()(new AbortController().signal);
      await user.may('team-a', SEE);
      expect((await user.seemsToBeAllowed('team-a', SEE)).allowed).to.equal(true);
      expect(reviews).to.equal(1);
      isAllowed = false;
      expect((await user.may('team-a', SEE)).allowed).to.equal(false);
      expect((await user.seemsToBeAllowed('team-a', SEE, 30_000)).allowed).to.equal(false);
      expect(reviews).to.equal(2);
    });

    it('end with the time limit of the request, but not for other requests that share them (UI46)', async () => {
      const opened = Promise.withResolvers<void>();
      gate = opened.promise;
      const users = userOf();
      const [short, long] = [new AbortController(), new AbortController()];
      const ended = users(short.signal)
        .may('team-a', SEE)
        .catch((error: unknown) => error);
      const menu = users(short.signal)
        .seemsToBeAllowed('team-a', SEE)
        .catch((error: unknown) => error);
      const shared = users(long.signal).seemsToBeAllowed('team-a', SEE);
      short.abort(new DOMException('late', 'TimeoutError'));
      for (const error of [await ended, await menu]) expect(error).to.include({ code: 'Timeout' });
      opened.resolve();
      expect((await shared).allowed).to.equal(true);
      expect(reviews).to.equal(1);
    });

    it('are made again for a menu after three seconds, or after the age that the caller accepts', async () => {
      const user = userOf()(new AbortController().signal);
      await user.seemsToBeAllowed('team-a', SEE);
      nowMs += 4_000;
      await user.seemsToBeAllowed('team-a', SEE, 30_000);
      expect(reviews).to.equal(1);
      await user.seemsToBeAllowed('team-a', SEE);
      expect(reviews).to.equal(2);
      nowMs += 31_000;
      await user.seemsToBeAllowed('team-a', SEE, 30_000);
      expect(reviews).to.equal(3);
    });
  });

  describe('of a user without a role in the entire cluster', () => {
    let server: DashboardServer;
    before(async () => {
      server = await startStaffedDashboard();
      server.tokens.set('view', { name: 'vic', allowed: ['get zipprojects team-a'] });
      for (let n = 0; n < 50; n += 1) server.zipProjects.put(aProject(`other-${n}`));
    });
    after(() => server[Symbol.asyncDispose]());

    it('are made once for each project by the list of projects, and not again by the next page', async () => {
      const vic = await visitAs(server, 'view');
      async function reviewsOf(path: string): Promise<number> {
        const before = server.requests.length;
        await vic.get(path);
        return server.requests
          .slice(before)
          .filter(({ path: to }) => to.endsWith('/selfsubjectaccessreviews')).length;
      }
      // And whether the user may list jobs, everywhere or in the only project.
      expect(await reviewsOf('/projects')).to.equal(55);
      expect(await reviewsOf('/new-project')).to.equal(0);
    });
  });
});
