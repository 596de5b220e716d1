/** What only the operator learns about unreachable sources, through the real caches of a controller. */
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createControllerMetrics } from '#controller/metrics.ts';
import type { Parts } from '#controller/wiring/wiring.ts';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { createUnreachableSources } from '#controller/zip-job/unreachable-sources.ts';
import { ANNOTATIONS, LABELS } from '#crds/api-group.ts';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { createSealingKey, seal } from '#runtime/crypto/sealed-box.ts';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { UnconnectedError } from '#runtime/egress/open-socket.ts';
import { AppError } from '#runtime/errors.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { createLogger } from '#runtime/log/log.ts';
import { fixedKube } from '#test/support/builders/fixed-kube.ts';
import { fixedParts } from '#test/support/builders/fixed-parts.ts';
import { aPod, aZipBucket, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { ended, failureMessage } from '#test/support/builders/pod-statuses.ts';
import { createUnreachableCauses } from '#zipper-image/status/unreachable-causes.ts';

const FAILURE = failureMessage('SourceUnreachable', { message: 'file 0: the source is unreachable' });

/** As the zipper writes it. */
function sealedFor(key: string, ...causes: readonly unknown[]): string {
  const seen = createUnreachableCauses();
  for (const cause of causes) seen.see(cause);
  return seen.sealed(key);
}

function endedPod(name: string, sealed: string): Pod {
  return aPod(name, {
    metadata: {
      uid: `uid-${name}`,
      labels: { [LABELS.instance]: NAME, [LABELS.managedBy]: 'zipjobs-controller' },
    },
    status: ended({ exitCode: EXIT_CODES.sourceUnavailable, message: { ...FAILURE, sealed } }),
  });
}

interface Seen {
  /** By reason, without those that did not occur. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly parts: Parts;
}

/** What a controller counts and logs when its caches receive these pods. */
async function seen(podsFor: (parts: Parts) => readonly Pod[]): Promise<Seen> {
  await using resources = new AsyncDisposableStack();
  const stop = new AbortController();
  const lines: Record<string, unknown>[] = [];
  function write(line: string): void {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  }
  const log = createLogger('test', { level: 'info', destination: { write } });
  const pods: Pod[] = [];
  const kube = fixedKube({
    zipjobs: { count: 1, build: () => aZipJob() },
    zipbuckets: { count: 1, build: () => aZipBucket() },
    pods: { count: 2, build: (n) => pods[n] ?? {} },
  });
  const parts = fixedParts(kube, { resources, stopping: stop.signal, log });
  pods.push(...podsFor(parts));
  const running = parts.watches.run(stop.signal);
  await parts.watches.synced(stop.signal);
  stop.abort();
  await running;
  const { values } = await parts.metrics.sourceRefusals.get();
  const counted = values.filter(({ value }) => value > 0);
  return {
    refusals: Object.fromEntries(counted.map(({ labels, value }) => [String(labels.reason), value])),
    lines: lines.filter(({ message }) => message === 'sources were unreachable'),
    parts,
  };
}

function keyOf({ currentConfig }: Parts): string {
  const job = archiveJob(aZipJob(), aZipBucket(), currentConfig());
  const text = job.spec?.template.metadata?.annotations?.[ANNOTATIONS.task] ?? '';
  return (JSON.parse(text) as ArchiveTask).sealingKey ?? '';
}

describe('causes of unreachable sources', () => {
  it('are counted and logged by the controller, for each pod once by reason (N22)', async () => {
    const { refusals, lines } = await seen((parts) => [
      endedPod(
        'pod-a',
        sealedFor(
          keyOf(parts),
          new EgressRefusedError('db.corp', 'private'),
          new EgressRefusedError('10.0.0.1', 'private'),
          new AppError('connect', { code: 'ECONNREFUSED', retryable: true }),
        ),
      ),
      endedPod('pod-b', sealedFor(keyOf(parts), new EgressRefusedError('10.0.0.1', 'private'), undefined)),
    ]);
    expect(refusals).to.deep.equal({ private: 2 });
    const zipJob = `${NAMESPACE}/${NAME}`;
    expect(lines.map(({ zipJob, pod, causes }) => ({ zipJob, pod, causes }))).to.deep.equal([
      { zipJob, pod: 'pod-a', causes: ['private', 'ECONNREFUSED'] },
      { zipJob, pod: 'pod-b', causes: ['private', 'timeout'] },
    ]);
  });

  it('say why each address of a host failed if it has several (FD5)', async () => {
    const failures = [
      { family: 6, reason: 'ENETUNREACH' },
      { family: 4, reason: 'timeout' },
    ];
    const target = { host: 'files.corp', port: 443 };
    const { lines } = await seen((parts) => [
      endedPod(
        'pod-a',
        sealedFor(
          keyOf(parts),
          new UnconnectedError(target, { failures, untried: 0, ignored: 0 }, undefined),
          new UnconnectedError(target, { failures: failures.slice(0, 1), untried: 0, ignored: 0 }, undefined),
        ),
      ),
    ]);
    expect(lines.map(({ causes }) => causes)).to.deep.equal([
      ['IPv6-ENETUNREACH', 'IPv4-timeout', 'ENETUNREACH'],
    ]);
  });

  it('are not counted again when the pod changes after its end (N22)', async () => {
    const metrics = createControllerMetrics(new Registry());
    const { sealingKey, see } = createUnreachableSources(metrics, createLogger('test', { level: 'silent' }));
    const object = endedPod('pod-a', sealedFor(sealingKey, new EgressRefusedError('10.0.0.1', 'private')));
    const key = `${NAMESPACE}/pod-a`;
    see({ kind: 'set', key, object, before: aPod('pod-a') });
    see({ kind: 'set', key, object, before: object });
    see({ kind: 'deleted', key, before: object });
    const { values } = await metrics.sourceRefusals.get();
    expect(values.reduce((sum, { value }) => sum + value, 0)).to.equal(1);
  });

  it('of a job that another controller started are not counted, nor those that nobody sealed (N22)', async () => {
    const refused = new EgressRefusedError('10.0.0.1', 'private');
    const { refusals, lines } = await seen(() => [
      endedPod('pod-a', sealedFor(createSealingKey().publicKey, refused)),
      endedPod('pod-b', 'private'),
    ]);
    expect([refusals, lines]).to.deep.equal([{}, []]);
  });

  it('cannot create series, nor text of a zipper in the log (N22)', async () => {
    const { refusals, lines } = await seen((parts) => [
      endedPod('pod-a', seal(keyOf(parts), 'any-reason private\nforged https://host/path')),
      endedPod('pod-b', seal(keyOf(parts), '')),
    ]);
    expect(refusals).to.deep.equal({});
    expect(lines.map(({ causes }) => causes)).to.deep.equal([['any-reason']]);
  });

  it('need as much room in every message, however many there are (N22)', () => {
    const { publicKey, open } = createSealingKey();
    const many = Array.from({ length: 100 }, (_, n) => new AppError('', { code: `E${n}`, retryable: true }));
    const boxes = [sealedFor(publicKey), sealedFor(publicKey, many[0]), sealedFor(publicKey, ...many)];
    expect(new Set(boxes.map(({ length }) => length)).size).to.equal(1);
    expect(open(boxes[2] ?? '')).to.match(/^E0 E1 .* E6\d$/);
  });
});
