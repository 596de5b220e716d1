import { type ApiStatus, apiStatusOf, SPEC_DEFAULTS, type ZipJob } from '#crds/zip-job.ts';
import { isJsonObject } from '#runtime/kube/decode.ts';

/**
 * The body of a success. `metadata` is JSON text that is spliced in as it is: parsing and printing it again would change
 * numbers and the order of keys.
 */
export const zipBody = (zip: {
  readonly uuid: string;
  readonly status: ApiStatus;
  readonly metadata: string;
  /** What was asked for beyond these three. */
  readonly more?: Readonly<Record<string, unknown>>;
}): string => {
  const more = Object.entries(zip.more ?? {}).map(
    ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  return `{"data":{"uuid":${JSON.stringify(zip.uuid)},"status":${JSON.stringify(zip.status)},"metadata":${zip.metadata}${more.join('')}}}`;
};

/** The text of one JSON object; `{}` for anything else, which only a ZipJob that the API did not make can hold. */
const safeMetadata = (text: string = SPEC_DEFAULTS.metadata): string =>
  isJsonObject(text) ? text : SPEC_DEFAULTS.metadata;

/** The answer to a read of a ZipJob. */
export const toResponse = (
  uuid: string,
  job: Pick<ZipJob, 'spec' | 'status'>,
  more: Readonly<Record<string, unknown>> = {},
): string =>
  zipBody({
    uuid,
    status: apiStatusOf(job.status?.phase),
    metadata: safeMetadata(job.spec.metadata),
    more,
  });
