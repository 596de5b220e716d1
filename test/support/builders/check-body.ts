import { jsonLimits, type RequestLimits } from '#api/body/request-limits.ts';
import { parseStrictJson } from '#api/body/strict-json.ts';
import { assertAllowed, readTypes, type ZipJobRequest } from '#api/create/check-request.ts';
import { createRequestPolicy, type RequestPolicy } from '#api/create/request-policy.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { runToEnd } from '../run-to-end.ts';
import { aProject } from '../servers/api-server.ts';
import { type Classes, projectClasses } from './project-classes.ts';

const LIMITS = { maxFiles: 5, maxUrlLength: 200, maxKeyBytes: 1_024, maxMetadataBytes: 16_384 };
const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: ['93.184.0.0/16'], ownAddresses: [] });

function policyOf(classes: Classes, limits: RequestLimits): RequestPolicy {
  return createRequestPolicy({ ...projectClasses(classes), egress, limits });
}

/** Most tests use it, and to compile its schemas takes most of the time of a test. */
const ordinaryPolicy = policyOf({}, LIMITS);

/** Parses and checks a body (an object, or the exact text) with limits of five files and URLs of 200 characters. */
export function checkBody(
  body: unknown,
  spec: ZipProject['spec'] = {},
  change: { readonly classes?: Classes; readonly limits?: RequestLimits } = {},
): ZipJobRequest {
  const { classes = {}, limits = LIMITS } = change;
  const policy = Object.keys(change).length === 0 ? ordinaryPolicy : policyOf(classes, limits);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const json = runToEnd(parseStrictJson(Buffer.from(text), jsonLimits(limits)));
  const rules = policy(aProject('team-a', spec));
  const typed = runToEnd(readTypes(json, rules));
  runToEnd(assertAllowed(typed, rules));
  return typed.request;
}
