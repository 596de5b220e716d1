import { expect } from 'chai';
import { Agent, request } from 'undici';
import { type BenchOrigin, openOrigin } from '#test/bench/bench-world.ts';
import { watchConnections } from '#test/bench/connections.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';

const CASE = { name: 'tiny', what: '', latencyMs: 0, files: [{ path: 'a.bin', bytes: 1000 }] };

async function get(origin: BenchOrigin, dispatcher: Agent): Promise<number> {
  const { body } = await request(`${origin.url}a.bin`, { dispatcher });
  return (await body.arrayBuffer()).byteLength;
}

describe('the origin of a benchmark', function () {
  this.timeout(60_000);
  let agents: readonly Agent[];
  afterEach(() => Promise.all(agents.map((agent) => agent.destroy())));

  for (const plain of [false, true])
    it(`speaks ${plain ? 'HTTP' : 'HTTPS'}, and its connections are counted, not its requests`, async () => {
      agents = [0, 1, 2].map(() => new Agent(plain ? {} : { connect: { ca: PRIVATE_TLS.authority } }));
      await using origin = await openOrigin(CASE, { plain });
      expect(new URL(origin.url).protocol).to.equal(plain ? 'http:' : 'https:');
      const [earlier, ...later] = agents;
      if (earlier) await get(origin, earlier);
      using connections = watchConnections([origin.pid]);
      for (let round = 0; round < 10; round += 1)
        for (const agent of later) expect(await get(origin, agent)).to.equal(1000);
      // More than two if the machine was too busy for seconds, and the origin closed an idle connection.
      expect(connections.counts()[0]).to.be.at.least(2).and.at.most(10);
    });
});
