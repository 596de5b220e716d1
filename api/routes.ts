import { uidOf } from '#crds/object-meta.ts';
import { type ApiStatus, apiStatusOf, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { isJsonObject } from '#runtime/kube/client/decode.ts';
import { withTimeLimit } from '#runtime/kube/client/time-limit.ts';
import { validTraceparent } from '#runtime/log/traceparent.ts';
import { storeKindOf } from '#runtime/store/store-location.ts';
import { type FileList, fileListBytes } from '#runtime/zip-request/file-list.ts';
import { storeLimit } from '#runtime/zip-request/stated-sizes.ts';
import { assertObjectAccepted } from './create/check-object-options.ts';
import { assertConflictAllowed } from './create/check-options.ts';
import { assertSizesFit } from './create/check-sizes.ts';
import { checkSourceBuckets } from './create/check-source-buckets.ts';
import type { CreateZipJob } from './create/create-zip-job.ts';
import { derivedUuid } from './create/derived-uuid.ts';
import type { FindBucket } from './create/find-bucket.ts';
import { readIdempotencyKey } from './create/idempotency-key.ts';
import type { PackedRequest, ReadRequest } from './create/read-request.ts';
import { ApiError } from './errors/api-error.ts';
import type { ApiContext } from './http/context.ts';
import { takeBody } from './http/json-body.ts';
import { expandedFields } from './read/expanded-fields.ts';
import type { FindZipJob, ZipJobQuery } from './read/find-zip-job.ts';
import { type JobResponse, responseOf } from './read/kept-responses.ts';
import { type Expansion, readExpand } from './read/read-expand.ts';
import type { Principal } from './tokens/authenticate.ts';

/**
 * The body of a successful response. `metadata` is inserted as JSON text: parsing and serializing it again would change
 * numbers and the order of keys.
 */
function zipBody(zip: {
  readonly uuid: string;
  readonly status: ApiStatus;
  readonly metadata: string;
  /** The fields that `expand` requests. */
  readonly more?: Readonly<Record<string, unknown>>;
}): string {
  const more = Object.entries(zip.more ?? {}).map(
    ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  return `{"data":{"uuid":${JSON.stringify(zip.uuid)},"status":${JSON.stringify(zip.status)},"metadata":${zip.metadata}${more.join('')}}}`;
}

/** JSON text of an object; `{}` for anything else, which only a ZipJob from outside the API can contain. */
function safeMetadata(text: string): string {
  return isJsonObject(text) ? text : SPEC_DEFAULTS.metadata;
}

/** The response to a read of a ZipJob. */
function toResponse(
  uuid: string,
  { phase, metadata }: Pick<JobResponse, 'phase' | 'metadata'>,
  more: Readonly<Record<string, unknown>> = {},
): string {
  return zipBody({
    uuid,
    status: apiStatusOf(phase),
    metadata: safeMetadata(metadata),
    more,
  });
}

export interface ZipJobRoutesDeps {
  readonly readRequest: ReadRequest;
  readonly findBucket: FindBucket;
  readonly createZipJob: CreateZipJob;
  readonly findZipJob: FindZipJob;
  /** Time limit for all calls to the API server and the history of one request. Storing a list adds `storingMs`. */
  readonly workTimeoutMs: number;
  /** URL of the failure code documentation. */
  readonly helpUrl: string;
}

export interface ZipJobRoutes {
  create(ctx: ApiContext): Promise<void>;
  read(ctx: ApiContext, uuid: string): Promise<void>;
}

function principalOf(ctx: ApiContext): Principal {
  if (ctx.state.principal !== undefined) return ctx.state.principal;
  throw new Error(`route ${ctx.state.route ?? ''} requires authentication middleware`);
}

/** The reason for refusing a new job; a job of an earlier request is still returned. */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError && error.status < 500) return error;
  throw error;
}

/** @throws ApiError resource_not_found or parameter_invalid; the refusal of the request */
async function checkRefusals(
  { findBucket }: Pick<ZipJobRoutesDeps, 'findBucket'>,
  {
    request,
    principal: { namespace, project },
  }: { readonly request: PackedRequest; readonly principal: Principal },
  signal: AbortSignal,
): Promise<void> {
  const { service, bucketName, options, refusal, sourceBuckets } = request;
  const { jobDefaults = {} } = project.spec;
  if (refusal !== undefined) throw refusal;
  const bucket = await findBucket({ namespace, service, bucketName }, signal);
  assertConflictAllowed(options.onConflict, bucket.spec.objectOptions?.onConflict, 'bucket');
  assertObjectAccepted({ chosen: options.objectOptions, defaults: jobDefaults.objectOptions }, bucket);
  assertSizesFit(request, jobDefaults, storeLimit(storeKindOf(bucket.spec)));
  await checkSourceBuckets(findBucket, { namespace, uses: sourceBuckets }, signal);
}

/** The job that a request with this key creates. */
function queryOf({ namespace, project }: Principal, idempotencyKey: string): ZipJobQuery {
  const projectUid = uidOf(project);
  return { namespace, projectUid, uuid: derivedUuid(projectUid, idempotencyKey) };
}

async function exists(
  { findZipJob }: Pick<ZipJobRoutesDeps, 'findZipJob'>,
  query: ZipJobQuery,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await findZipJob.response(query, signal);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'resource_not_found') return false;
    throw error;
  }
}

function respond(ctx: ApiContext, status: number, body: string): void {
  ctx.status = status;
  ctx.type = 'application/json';
  ctx.body = body;
}

async function find(
  deps: ZipJobRoutesDeps,
  { query, expansions }: { readonly query: ZipJobQuery; readonly expansions: readonly Expansion[] },
  signal: AbortSignal,
) {
  if (expansions.length === 0) return { response: await deps.findZipJob.response(query, signal), more: {} };
  const job = await deps.findZipJob.whole(query, signal);
  return { response: responseOf(job), more: expandedFields(job, expansions, deps) };
}

/** @param location safe to use in a header, because the path matched a route literally */
function createdHeaders(
  location: string,
  isReplay: boolean,
  { ignoredFields }: PackedRequest,
): Record<string, string> {
  return {
    ...(isReplay && { 'Idempotent-Replayed': 'true' }),
    ...defined({ 'Ignored-Fields': ignoredFields }),
    Location: location,
  };
}

/** A busy API server stores 2 MiB a second; half of that. */
const STORED_BYTES_PER_MS = (1024 * 1024) / 1000;

/** What the largest list adds, 28 s, leaves a request within the 60 s of usual load balancers. */
function storingMs(list: FileList): number {
  return Math.ceil(fileListBytes(list) / STORED_BYTES_PER_MS);
}

/** `POST /zips` and `GET /zips/:id`. */
export function createZipJobRoutes(deps: ZipJobRoutesDeps): ZipJobRoutes {
  function inTime<T>(
    ctx: ApiContext,
    task: (signal: AbortSignal) => Promise<T>,
    ms = deps.workTimeoutMs,
  ): Promise<T> {
    return withTimeLimit({ attempt: `${ctx.method} ${ctx.state.route ?? ''}`, ms }, task);
  }

  return {
    async create(ctx) {
      const principal = principalOf(ctx);
      const { tokenName, project } = principal;
      const { requestId } = ctx.state;
      const idempotencyKey = readIdempotencyKey(ctx.req);
      const expansions = readExpand(ctx.querystring);
      const listsFaults = expansions.includes('error');
      const request = await deps.readRequest(takeBody(ctx), project, {
        listsFaults,
        ...(idempotencyKey !== undefined && {
          isRetry: () => inTime(ctx, (signal) => exists(deps, queryOf(principal, idempotencyKey), signal)),
        }),
      });
      const traceparent = validTraceparent(ctx.get('traceparent'));
      async function createIn(signal: AbortSignal): ReturnType<CreateZipJob> {
        const refusal = await checkRefusals(deps, { request, principal }, signal).then(
          () => undefined,
          refusalOf,
        );
        if (refusal !== undefined && idempotencyKey === undefined) throw refusal;
        const input = { request, project, createdBy: tokenName, requestId, traceparent, idempotencyKey };
        return deps.createZipJob({ ...input, refusal }, signal);
      }
      const limitMs = deps.workTimeoutMs + storingMs(request.list);
      const { uuid, uid, job, isReplay } = await inTime(ctx, createIn, limitMs);
      ctx.state.zipJob = job.metadata.name;
      if (!isReplay) ctx.state.createdJob = { id: uuid, uid };
      ctx.set(createdHeaders(`${ctx.path}/${uuid}`, isReplay, request));
      respond(ctx, 201, toResponse(uuid, responseOf(job), expandedFields(job, expansions, deps)));
    },

    async read(ctx, uuid) {
      const { namespace, project } = principalOf(ctx);
      const query = { namespace, projectUid: uidOf(project), uuid };
      const expansions = readExpand(ctx.querystring);
      const { response, more } = await inTime(ctx, (signal) => find(deps, { query, expansions }, signal));
      ctx.state.zipJob = response.name;
      respond(ctx, 200, toResponse(uuid, response, more));
    },
  };
}
