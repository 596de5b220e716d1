import { type ApiStatus, apiStatusOf, type ZipJob } from '#crds/zip-job.ts';

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
const safeMetadata = (text: string | undefined): string => {
  if (text === undefined) return '{}';
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : '{}';
  } catch {
    return '{}';
  }
};

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
