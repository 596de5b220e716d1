/** The real adoption, with sources of the model. */
import type { InheritedUpload } from '#crds/zip-job.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { type Adoption, adopt } from '#zipper-image/resume/adopt.ts';
import type { BoundaryProbe, Recognized } from '#zipper-image/resume/resolve.ts';
import { lookUpPolicy } from '#zipper-image/store/store-retry.ts';
import { versionIn } from './model-records.ts';
import { PART_UNITS, type Version } from './model-sources.ts';
import { UNIT_BYTES } from './model-store.ts';
import { log, PLAN, STATUS_SETTINGS, STORE_SETTINGS, type ZipperDeps } from './zipper-deps.ts';

/** A request for a file. It takes time, in which sources change. */
export async function ask(deps: ZipperDeps, file: number, signal: AbortSignal): Promise<Version> {
  await deps.process.gate('source');
  await deps.time.delay(deps.random.int(20, 1_500), undefined, { signal });
  await deps.process.gate();
  const source = deps.sources.files[file];
  if (!source) throw new Error(`there is no file ${file}`);
  return source.version;
}

function probeOf(deps: ZipperDeps, signal: AbortSignal): BoundaryProbe {
  const { mistake, sources } = deps;
  function compare<T>(now: Version, was: Version, same: T): Recognized<T> {
    if (now.units !== was.units) return 'resized';
    return now.content === was.content ? same : 'changed';
  }
  return {
    repeat: async (file, record) =>
      compare(await ask(deps, file, signal), versionIn(record), new Uint8Array()),
    confirm: async (file, record) => {
      const now = await ask(deps, file, signal);
      if (mistake === 'ignoresValidators') return 'same';
      const is = compare(now, versionIn(record), 'same' as const);
      return is === 'same' && sources.files[file]?.canRange !== true ? 'changed' : is;
    },
  };
}

/** @throws AppError if neither is known yet */
export function adoptIn(
  deps: ZipperDeps,
  inherited: InheritedUpload,
  signal: AbortSignal,
): Promise<Adoption> {
  const attempts = deps.zipJob()?.status?.attempts ?? [];
  return adopt({
    inherited,
    checkpoints: deps.checkpoints,
    store: deps.store,
    key: deps.key,
    plan: PLAN,
    resolve: {
      probe: probeOf(deps, signal),
      partBytes: () => PART_UNITS * UNIT_BYTES,
      needsSha256: false,
      statesSha256: () => false,
      isSingleUse: () => deps.sources.areSingleUse,
      mayChangeForm: () => false,
      placeholderOf: () => new Uint8Array(),
    },
    isEncrypted: deps.isEncrypted,
    mayStillRun: attempts.some(({ exitCode }) => exitCode === undefined),
    storePolicy: () => lookUpPolicy(STORE_SETTINGS, log),
    statusPolicy: () => ({
      baseDelayMs: STATUS_SETTINGS.statusRetryBaseMs,
      maxDelayMs: STATUS_SETTINGS.statusRetryMaxMs,
      limit: new RetryLimit(STATUS_SETTINGS.statusRefusalLimitMs),
    }),
    log,
    signal,
  });
}
