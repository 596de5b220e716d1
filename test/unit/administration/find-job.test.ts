import { expect } from 'chai';
import { createAdministration } from '#administration/administration.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { aZipJob, NAME, UUID } from '#test/support/builders/objects.ts';

const UID = '0f9d7a52-58a4-4c8e-9a57-1d1a2b3c4d5e';
const PAGES = 20;
const MEBIBYTE = 1_024 * 1_024;

function pageOf({ query, onBytes }: KubeRequest): number {
  onBytes?.(8 * MEBIBYTE);
  return Number(query?.['continue'] ?? '0');
}

/** A project with more ZipJobs than fit into memory. The job of a user is on the third page. */
function start(failList?: KubeError) {
  const requests: KubeRequest[] = [];
  const nightly = aZipJob({
    metadata: { name: 'nightly', uid: UID, creationTimestamp: '2026-01-02T03:04:06Z' },
  });
  const byApi = aZipJob({
    metadata: {
      name: NAME,
      uid: '0f9d7a52-58a4-4c8e-9a57-000000000001',
      creationTimestamp: '2026-01-02T03:04:05Z',
    },
  });
  function respond(request: KubeRequest): unknown {
    requests.push(request);
    const name = request.path.split('/').at(-1) ?? '';
    const found = [nightly, byApi].find(({ metadata }) => metadata.name === name);
    if (found) return found;
    if (name !== 'zipjobs') throw new KubeError('404 NotFound', { attempt: 'GET /', code: 'NotFound' });
    if (failList) throw failList;
    const page = pageOf(request);
    const item = page === 2 ? nightly : byApi;
    const next = page + 1 < PAGES ? { continue: String(page + 1) } : {};
    return { metadata: next, items: [request.metadataOnly === true ? { metadata: item.metadata } : item] };
  }
  const jobs = createAdministration({
    kube: {
      server: 'https://example.test',
      request: (request) => Promise.resolve().then(() => respond(request)),
      stream: () => Promise.reject(new Error('unused')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    clock: systemClock,
  }).jobs('default');
  return { jobs, requests, lists: () => requests.filter(({ path }) => path.endsWith('/zipjobs')) };
}

async function errorOf(task: Promise<unknown>): Promise<AdministrationError> {
  const error: unknown = await task.catch((thrown: unknown) => thrown);
  expect(error).to.be.instanceOf(AdministrationError);
  return error as AdministrationError;
}

describe('the look-up of a job', () => {
  it('finds the uid of an object in a project of any size, and stops at the page that has it (UI9)', async () => {
    const { jobs, lists } = start();
    expect(await jobs.show(UID)).to.include({ name: 'nightly', id: UID });
    expect(lists()).to.have.length(3);
  });

  it('reads only the metadata of other jobs (UI9)', async () => {
    const { jobs, lists } = start();
    await jobs.show(UID);
    expect(new Set(lists().map(({ metadataOnly }) => metadataOnly))).to.deep.equal(new Set([true]));
  });

  it('reports an unknown ID as not found, however large the project is (UI9)', async () => {
    const { jobs, lists } = start();
    const unknown = '0f9d7a52-58a4-4c8e-9a57-999999999999';
    expect((await errorOf(jobs.show(unknown))).code).to.equal('NotFound');
    expect(lists()).to.have.length(PAGES);
  });

  it('does not find a job of the API by the uid of its object, which is not its ID', async () => {
    const { jobs } = start();
    expect((await errorOf(jobs.show('0f9d7a52-58a4-4c8e-9a57-000000000001'))).code).to.equal('NotFound');
  });

  it('needs no permission to list for a name, and reports NotFound without it for an ID', async () => {
    const { jobs, lists } = start(
      new KubeError('User "a" cannot list', { user: 'a', attempt: 'GET /', code: 'Forbidden' }),
    );
    expect(await jobs.show(UUID)).to.include({ name: NAME });
    expect(lists()).to.have.length(0);
    expect((await errorOf(jobs.show(UID))).code).to.equal('NotFound');
  });

  it('explains a list that fails', async () => {
    const { jobs } = start(new KubeError('down', { attempt: 'GET /', httpStatus: 503, code: 'ServerError' }));
    const { code, message } = await errorOf(jobs.show(UID));
    expect(code).to.equal('Unreachable');
    expect(message).to.match(/^Cannot list zipjobs\.zipjobs\.dev in namespace default: down/);
  });

  it('ignores the case of an ID and of a name (UI31)', async () => {
    const { jobs } = start();
    for (const [given, name] of [
      [UUID.toUpperCase(), NAME],
      [NAME.toUpperCase(), NAME],
      [UID.toUpperCase(), 'nightly'],
      ['Nightly', 'nightly'],
    ] as const)
      expect((await jobs.show(given)).name, given).to.equal(name);
  });

  it('finds a job by the first characters of its ID, and the newest job (Q-C14)', async () => {
    const { jobs } = start();
    for (const short of ['0f9d', '0f9d7a52', '0F9D7A52-58a4'])
      expect((await jobs.show(short)).name, short).to.equal('nightly');
    expect((await jobs.show('@latest')).name).to.equal('nightly');
  });

  it('takes the characters for a name first, and lists nothing then (Q-C14)', async () => {
    const { jobs, lists } = start();
    expect((await jobs.show('nightly')).name).to.equal('nightly');
    expect(lists()).to.have.length(0);
    expect((await errorOf(jobs.show('night'))).code).to.equal('NotFound');
    expect(lists()).to.have.length(0);
    expect((await errorOf(jobs.show('0000'))).code).to.equal('NotFound');
  });

  it('refuses characters with which several IDs start (Q-C14)', async () => {
    const { jobs } = start();
    const { code, message } = await errorOf(jobs.show('6f1c'));
    expect(code).to.equal('InvalidInput');
    expect(message).to.equal(`The IDs of ${PAGES - 1} jobs start with "6f1c". Use more characters`);
  });
});
