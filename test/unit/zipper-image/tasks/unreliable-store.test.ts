/**
 * A store that refuses, forgets, delays and lies, in any combination: an archive that may still be published is never
 * reported as absent, and one that is not there is never reported as published.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import { AppError } from '#runtime/errors.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import type { Fault, SeenRequest } from '#test/support/servers/hostile-store.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import { denied, RecoveryHarness, recoverySettings } from './recovery-harness.ts';

const SCHEDULES = sized(50, 100);
const AT_ONCE = 12;
/** Stands for 15 seconds, of which responses are outdated for up to 10. */
const CONSISTENCY_MS = 60;
const OUTDATED_MS = 40;
/** Like the controller, which replaces a recovery Job that reports no outcome. */
const RECOVERIES = 3;

interface Store {
  readonly abort: 'works' | 'refused' | 'ignored' | 'lost';
  readonly head: 'current' | 'outdated' | 'denied';
  readonly listParts: 'current' | 'outdated' | 'denied';
  readonly listUploads: 'current' | 'outdated' | 'denied';
  /** How long a Complete is carried out before the object shows; the upload is gone at once. */
  readonly assemblyMs: number;
  /** A rule of the bucket removes the upload during the recovery. */
  readonly forgets: boolean;
  readonly errorRate: number;
}

function drawStore(random: Random): Store {
  return {
    abort: random.pick(['works', 'works', 'refused', 'ignored', 'lost']),
    head: random.pick(['current', 'outdated', 'outdated', 'denied']),
    listParts: random.pick(['current', 'outdated', 'denied']),
    listUploads: random.pick(['current', 'outdated', 'denied']),
    assemblyMs: random.pick([0, 0, CONSISTENCY_MS / 2, 5 * CONSISTENCY_MS]),
    forgets: random.next() < 0.2,
    errorRate: random.pick([0, 0, 0.1]),
  };
}

const ABORTS = {
  works: undefined,
  refused: denied,
  ignored: { kind: 'raced' },
  lost: { kind: 'drop', when: 'before' },
} as const satisfies Record<Store['abort'], Fault | undefined>;

function faultOf(store: Store, random: Random, { operation }: SeenRequest): Fault | undefined {
  if (operation === 'abort' && store.abort !== 'works') return ABORTS[store.abort];
  if (operation in store && Reflect.get(store, operation) === 'denied') return denied;
  if (random.next() >= store.errorRate) return undefined;
  return random.pick([
    { kind: 'response', status: 500, code: 'InternalError' },
    { kind: 'drop', when: 'after' },
    { kind: 'drop', when: 'before' },
  ] as const);
}

function assemblyOf({ assemblyMs }: Store) {
  return () => (assemblyMs > 0 ? delay(assemblyMs) : undefined);
}

function misbehave(harness: RecoveryHarness, store: Store, random: Random): void {
  const { hostile } = harness;
  hostile.fault = (request) => faultOf(store, random, request);
  hostile.assembly = assemblyOf(store);
  hostile.delays = Object.fromEntries(
    (['head', 'listParts', 'listUploads'] as const)
      .filter((name) => store[name] === 'outdated')
      .map((name) => [name, OUTDATED_MS]),
  );
}

function startHarness(): Promise<RecoveryHarness> {
  return RecoveryHarness.start({ ...recoverySettings, storeConsistencyMs: CONSISTENCY_MS });
}

function withoutFaults({ hostile }: RecoveryHarness): void {
  hostile.fault = () => undefined;
  hostile.delays = {};
}

type Ending = RecoveryOutcome['outcome'] | 'none';
const ENDINGS = ['published', 'absent', 'unknown', 'none'] as const satisfies readonly Ending[];

async function recoverRepeatedly(recover: () => Promise<RecoveryOutcome>): Promise<Ending> {
  for (let tries = 1; tries <= RECOVERIES; tries += 1) {
    try {
      return (await recover()).outcome;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return 'none';
}

function isDenied({ abort, head, listParts, listUploads }: Store): boolean {
  return [abort, head, listParts, listUploads].some((one) => /denied|refused/.test(one));
}

interface Truth {
  readonly isPublishedAtEnd: boolean;
  /** After every request was carried out. */
  readonly isPublished: boolean;
  readonly mayBeUnknown: boolean;
  readonly facts: string;
}

function expectTrue(ending: Ending, truth: Truth): void {
  const { isPublishedAtEnd, isPublished, mayBeUnknown, facts } = truth;
  if (ending === 'unknown') expect(mayBeUnknown, `unknown without a reason: ${facts}`).to.equal(true);
  if (ending === 'absent') expect(isPublished, `absent, but published: ${facts}`).to.equal(false);
  if (ending === 'published') expect(isPublishedAtEnd, `published, but not there: ${facts}`).to.equal(true);
}

/** The archive appears later than a store is expected to need. */
function assemblesLate({ assemblyMs }: Store): boolean {
  return assemblyMs > CONSISTENCY_MS;
}

/**
 * A store that accepts aborts and ignores them, and needs longer than its archive may take, cannot show that the Complete of a
 * resumed pod came during the aborts.
 */
function hidesComplete(store: Store): boolean {
  return store.abort === 'ignored' && assemblesLate(store);
}

/** The store may not show what became of an upload that only the recovery changes. */
function mayHide(store: Store, finishes: boolean): boolean {
  return isDenied(store) || store.forgets || (finishes && assemblesLate(store));
}

/** A pod is lost after `committing`; its Complete arrives before, during or after the recovery, or never. */
async function lostPod(seed: number, finishes = false): Promise<Ending> {
  const random = createRandom(seed);
  const store = drawStore(random);
  const drawn = random.pick(['before', 'during', 'after', 'never']);
  const completes = drawn === 'during' && hidesComplete(store) ? 'after' : drawn;
  await using harness = await startHarness();
  const attempt = await harness.committing();
  function complete() {
    return attempt.complete().catch(() => undefined);
  }
  harness.hostile.assembly = assemblyOf(store);
  // The store has taken it, and may still be carrying it out.
  const early = completes === 'before' ? complete() : undefined;
  if (early) await until('the store to take the upload', () => harness.hostile.uploads.size === 0);
  misbehave(harness, store, random);
  const pause = random.int(0, 2 * CONSISTENCY_MS);
  const late = completes === 'during' ? delay(pause).then(complete) : undefined;
  const forgets = store.forgets ? delay(pause).then(() => harness.hostile.uploads.clear()) : undefined;
  const ending = await recoverRepeatedly(() => harness.recover(attempt, finishes ? attempt : {}));
  const isPublishedAtEnd = harness.isPublished;
  await Promise.all([early, late, forgets]);
  withoutFaults(harness);
  if (completes !== 'never') await complete();
  expectTrue(ending, {
    isPublishedAtEnd,
    isPublished: harness.isPublished,
    mayBeUnknown: completes !== 'never' || mayHide(store, finishes),
    facts: JSON.stringify({ seed, ...store, completes, pause, finishes }),
  });
  return ending;
}

/** The active pod sends Complete, whose response or effect may be late or missing. */
async function activePod(seed: number): Promise<string> {
  const random = createRandom(seed);
  const store = drawStore(random);
  await using harness = await startHarness();
  const attempt = await harness.committing();
  misbehave(harness, store, random);
  const { fault } = harness.hostile;
  const held = Promise.withResolvers<void>();
  const firsts: Readonly<Record<string, Fault | undefined>> = {
    works: undefined,
    late: { kind: 'late', until: held.promise },
    'response lost': { kind: 'drop', when: 'after' },
    error: { kind: 'okError', code: 'InternalError' },
  };
  const first = random.pick(Object.keys(firsts));
  const isAlways = random.next() < 0.5;
  harness.hostile.fault = (request) =>
    request.operation === 'complete' && (isAlways || request.nth === 1) ? firsts[first] : fault(request);
  const ending = await attempt.publish().then(
    () => 'published',
    (error: unknown) => (error instanceof AppError ? error.code : 'Internal'),
  );
  const isPublishedAtEnd = harness.isPublished;
  held.resolve();
  await delay(20 + store.assemblyMs);
  const facts = JSON.stringify({ seed, ...store, first, isAlways, ending });
  if (ending === 'published') expect(isPublishedAtEnd, `published, but not there: ${facts}`).to.equal(true);
  else if (ending !== 'OutcomeUnknown')
    expect(harness.isPublished, `failed, but published: ${facts}`).to.equal(false);
  return ending;
}

async function countEndings(play: (seed: number) => Promise<string>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  await inParallel(SCHEDULES, AT_ONCE, async (index) => {
    const ending = await play(index + 1);
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  });
  return counts;
}

describe('a store that refuses, forgets, delays and lies', function () {
  this.timeout(120_000);

  it('never makes a recovery report a wrong outcome, in random schedules (F27) (F47)', async () => {
    const counts = await countEndings((seed) => lostPod(seed));
    expect([...counts.keys()]).to.have.members([...ENDINGS]);
  });

  it('never makes a recovery that completes the upload report a wrong outcome, in random schedules (F27) (F47)', async () => {
    const counts = await countEndings((seed) => lostPod(seed, true));
    expect([...counts.keys()]).to.include.members(['published', 'absent', 'unknown']);
  });

  it('never makes a pod report a wrong outcome, in random schedules (F27) (F47)', async () => {
    const counts = await countEndings(activePod);
    expect([...counts.keys()]).to.include.members(['published', 'StoreUnavailable', 'OutcomeUnknown']);
  });
});
