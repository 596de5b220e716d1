/** Calls `decide` with the same time and settings in all tests of phases. */

import type { ControllerConfig } from '#controller/config/config.ts';
import { decide } from '#controller/zip-job/decide.ts';
import type { Decision, Observation } from '#controller/zip-job/observation.ts';
import { FINALIZER } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { ZipJob, ZipJobSpec, ZipJobStatus } from '#crds/zip-job.ts';
import { aConfig } from './config.ts';
import { aZipJob, NOW } from './objects.ts';
import { anObservation } from './observation.ts';

const config = aConfig();

/** The decision for this observation, at NOW and with default settings or changed ones. */
export function judge(seen: Partial<Observation> = {}, change: Partial<ControllerConfig> = {}): Decision {
  return decide(anObservation(seen), NOW, { ...config, ...change });
}

export function kinds({ actions }: Decision): readonly string[] {
  return actions.map(({ kind }) => kind);
}

/** A ZipJob with its finalizer and this status. */
export function withStatus(
  status: ZipJobStatus,
  spec: Partial<ZipJobSpec> = {},
  metadata: Partial<ObjectMeta> = {},
): ZipJob {
  return aZipJob({ status, spec, metadata: { finalizers: [FINALIZER], ...metadata } });
}
