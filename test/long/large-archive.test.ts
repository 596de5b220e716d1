/** An archive of 5 GiB: the memory of the zipper does not grow with it. */
import { expect } from 'chai';
import { askApi, postJob } from '../support/api-client.ts';
import { startFileOrigin } from '../support/file-origin.ts';
import { createProject } from '../support/project.ts';
import { sharedCluster } from '../support/shared-cluster.ts';
import { sharedInstallation } from '../support/shared-installation.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const FILES = 10;
const FILE_BYTES = 512 * MIB;
const MEMORY_BAR_BYTES = 256 * MIB;

describe('an archive of 5 GiB', function () {
  this.timeout(900_000);

  it('passes with the zipper below 256 MiB of resident memory (H10)', async () => {
    const cluster = await sharedCluster();
    const baseUrl = await (await sharedInstallation()).apiUrl();
    await using origin = await startFileOrigin();
    using project = await createProject(cluster, { namespace: 'large' });
    await until('the token to be known', async () => {
      const answer = await askApi(baseUrl, {
        path: '/v1/zips/00000000-0000-4000-8000-000000000000',
        token: project.token,
      });
      return answer.status === 404;
    });
    const uuid = await postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key: 'large.zip',
      urls: Array.from({ length: FILES }, (_, index) => ({
        url: origin.url(`/gen/${FILE_BYTES}/${index}`),
        filename: `part-${index}.bin`,
      })),
    });
    const job = await project.untilPhase(uuid, ['Succeeded', 'Failed'], 800_000);
    expect(job.status?.phase, job.status?.message).to.equal('Succeeded');
    const result = job.status?.result;
    expect(result?.bytes).to.be.greaterThan(FILES * FILE_BYTES);
    expect(await project.bucket.size('large.zip')).to.equal(result?.bytes);
    expect(result?.peakMemory).to.be.lessThan(MEMORY_BAR_BYTES);
    console.log(
      `      ${((result?.bytes ?? 0) / MIB).toFixed(0)} MiB in ${result?.seconds} s, peak ${((result?.peakMemory ?? 0) / MIB).toFixed(0)} MiB`,
    );
  });
});
