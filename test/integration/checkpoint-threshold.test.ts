/** Which jobs cause requests about ZipCheckpoints, as the API server counts them. */
import { expect } from 'chai';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';

/**
 * Those to one object. Kubernetes itself lists and watches every kind, and deletes the collections of a namespace that goes, as that of
 * an earlier test file.
 */
const REQUESTS =
  /^apiserver_request_total\{(?=[^}]*resource="zipcheckpoints")(?=[^}]*scope="resource")[^}]*\} (\d+)/gm;
const MIB = 1024 * 1024;

describe('requests about ZipCheckpoints', function () {
  this.timeout(240_000);
  let flow: Flow;

  before(async () => {
    flow = await startFlow('threshold');
  });
  after(async () => {
    await flow[Symbol.asyncDispose]();
    await resetInstallation();
  });

  async function requests(): Promise<number> {
    const { stdout } = await flow.cluster.kubectl(['get', '--raw', '/metrics']);
    return [...stdout.matchAll(REQUESTS)].reduce((sum, [, count]) => sum + Number(count), 0);
  }
  async function make(key: string, paths: readonly string[]): Promise<void> {
    const { project, origin, baseUrl } = flow;
    const uuid = await postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key,
      urls: paths.map((path, index) => ({ url: origin.url(path), filename: `file-${index}` })),
    });
    const { status } = await project.untilPhase(uuid, ['Succeeded', 'Failed']);
    expect(status?.phase, status?.message).to.equal('Succeeded');
  }

  it('are not sent for a job below the threshold (G14)', async () => {
    const before = await requests();
    await make('small.zip', ['/gen/100000/1', `/gen/${20 * MIB}/2`]);
    expect((await requests()) - before).to.equal(0);
  });

  it('are sent for one above it, and its ZipCheckpoint is gone when it has ended (G14)', async () => {
    const settings = { RESUME_FROM_BYTES: 0, CHECKPOINT_INTERVAL_MS: 500 };
    const quick = { ...settings, PART_SIZE_BYTES: 5 * MIB, STATUS_PROGRESS_INTERVAL_MS: 500 };
    await installChart(flow.cluster, { controller: { podTemplate: unsupportedPod('controller', quick) } });
    const before = await requests();
    await make('large.zip', [`/paced/${4 * MIB}/${24 * MIB}/3`]);
    const sent = (await requests()) - before;
    console.log(`      ${sent} requests about the ZipCheckpoint of a job of six seconds`);
    // Its creation, a checkpoint and its deletion.
    expect(sent).to.be.at.least(3);
    await until('the ZipCheckpoint to be gone', async () => {
      const args = ['get', 'zipcheckpoints', '-n', flow.project.namespace, '-o', 'name'];
      return (await flow.cluster.kubectl(args)).stdout === '';
    });
  });
});
