/**
 * The defaults of a project apply to its zippers: failed sources, the manifest, and the placement of pods.
 */
import { expect } from 'chai';
import type { OnSourceError } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

describe('a project that tolerates failed sources', function () {
  this.timeout(300_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow('left-out', {
      jobDefaults: { onSourceError: 'Skip', manifestEntry: 'contents.json' },
    });
  });
  after(() => flow[Symbol.asyncDispose]());

  function configure(spec: object): Promise<string> {
    return flow.kubectl('patch', 'zipproject', 'project', '--type=merge', '-p', JSON.stringify({ spec }));
  }

  /** Two working sources and a missing one between them. */
  async function archiveOfThree(onSourceError: OnSourceError) {
    const { origin, project } = flow;
    const files = [
      { url: origin.url('/gen/700/1'), filename: 'first' },
      { url: origin.url('/status/404'), filename: 'missing' },
      { url: origin.url('/gen/800/2'), filename: 'last' },
    ];
    // The API learns of the new defaults of the project from a watch.
    const uuid = await until('the API to know the defaults of the project', async () => {
      const posted = await flow.post(files);
      return (await project.zipJob(posted)).spec.onSourceError === onSourceError ? posted : undefined;
    });
    const { spec, status, metadata } = await project.untilPhase(uuid, ['Succeeded', 'Failed'], 100_000);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded' });
    const entries = await zipEntries(await project.bucket.bytes(spec.key));
    const manifest: unknown = JSON.parse(entries.at(-1)?.content.toString() ?? '');
    const delivery = await flow.receiver.next((one) => one.body.includes(uuid));
    return {
      names: entries.map(({ name }) => name),
      entries,
      manifest,
      result: status?.result,
      delivery,
      job: metadata.name,
    };
  }

  it('skips the missing source and reports it in status, manifest and webhook', async () => {
    const { names, manifest, result, delivery } = await archiveOfThree('Skip');
    expect(names).to.deep.equal(['first', 'last', 'contents.json']);
    expect(result).to.deep.include({ entries: 3, skipped: [1], skippedCodes: { SourceNotFound: 1 } });
    expect(JSON.stringify(manifest)).to.contain('SourceNotFound');
    expect(delivery.body).to.contain('"type":"COMPLETED"').and.to.contain('skipped');
  });

  it('adds a placeholder for it, on the nodes and with the resources of the project', async () => {
    await configure({
      jobDefaults: { onSourceError: 'Placeholder' },
      pods: {
        resources: { limits: { memory: '400Mi' } },
        tolerations: [{ key: 'archives', operator: 'Exists' }],
      },
    });
    const { names, result, manifest, job } = await archiveOfThree('Placeholder');
    expect(names).to.have.length(4);
    expect([names[0], names[2], names[3]]).to.deep.equal(['first', 'last', 'contents.json']);
    expect(result).to.deep.include({ entries: 4, skipped: [1] });
    expect(JSON.stringify(manifest)).to.contain('SourceNotFound');
    const { spec } = JSON.parse(await flow.kubectl('get', 'job', job, '-o', 'json')) as Job;
    const pod = spec?.template.spec;
    expect(pod?.containers[0]?.resources?.limits).to.deep.equal({ memory: '400Mi' });
    expect(pod?.tolerations?.map(({ key }) => key)).to.include('archives');
  });
});
