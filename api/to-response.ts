import { type ApiStatus, apiStatusOf, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import { isJsonObject } from '#runtime/kube/decode.ts';
import type { JobResponse } from './cached-job.ts';

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
export function toResponse(
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
