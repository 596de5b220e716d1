/**
 * What a copy of the cluster's database contains: names of jobs, but no credentials of a bucket, project or
 * source.
 */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const SIGNATURE = '5ec2e7516a7a7e1ad0dec0de';

describe("the cluster's database", function () {
  this.timeout(300_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow('at-rest');
  });
  after(() => flow[Symbol.asyncDispose]());

  /** Everything that etcd has written to its disk. */
  async function written(): Promise<Buffer> {
    const pattern = join(flow.cluster.dir, 'etcd', '**', '*.{wal,db,snap}');
    const parts: Buffer[] = [];
    for await (const file of glob(pattern)) parts.push(await readFile(file));
    return Buffer.concat(parts);
  }

  it('contains no bucket key, token, webhook secret or source URL in readable form (P12, T2)', async () => {
    const { project, cluster, origin } = flow;
    const url = `${origin.url('/gen/1000/1')}?X-Amz-Signature=${SIGNATURE}`;
    const uuid = await flow.post([{ url, filename: 'a' }]);
    await project.untilPhase(uuid, ['Succeeded']);
    const bytes = await written();
    expect(bytes.includes(uuid), 'the job').to.equal(true);
    const secrets = {
      "the bucket's key": cluster.store.secretAccessKey,
      'the token': project.token,
      'the webhook secret': project.webhookSecret,
      "the source's signature": SIGNATURE,
    };
    for (const [what, secret] of Object.entries(secrets)) {
      const shapes = [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')];
      for (const shape of shapes) expect(bytes.includes(shape), what).to.equal(false);
    }
  });
});
