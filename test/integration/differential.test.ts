/** Archives the same sources with zipjobs and with archiver and lib-storage, and compares the entries. */
import { expect } from 'chai';
import { zipByRecipe } from '#test/support/archives/recipe.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { startFlow } from '#test/support/worlds/flow.ts';

const SIZES = [0, 1, 100, 65_535, 65_536, 1_048_576, 1_048_577, 7_000_000];

describe('an archive of zipjobs', function () {
  this.timeout(240_000);

  it('has the same entries as one of archiver and lib-storage', async () => {
    await using flow = await startFlow('differential');
    const { project, cluster } = flow;
    const bucket = project.bucketName;
    const files = SIZES.map((bytes, index) => ({
      url: flow.origin.url(`/gen/${bytes}/${index}`),
      filename: `größe/${bytes}.bin`,
    }));
    const uuid = await postJob(flow.baseUrl, project.token, {
      bucket_name: bucket,
      key: 'ours.zip',
      urls: files,
    });
    await zipByRecipe({ store: cluster.store, bucket, key: 'theirs.zip', files });
    await project.untilPhase(uuid, ['Succeeded']);
    const ours = await zipEntries(await project.bucket.bytes('ours.zip'));
    const theirs = await zipEntries(await project.bucket.bytes('theirs.zip'));
    expect(ours.map((entry) => entry.name)).to.deep.equal(theirs.map((entry) => entry.name));
    for (const [index, entry] of ours.entries())
      expect(theirs[index]?.content.equals(entry.content), entry.name).to.equal(true);
  });
});
