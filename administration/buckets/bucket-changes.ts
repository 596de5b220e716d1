import type { ObjectOptions, ZipBucketSpec } from '#crds/zip-bucket.ts';
import { defined } from '#runtime/collections/optional.ts';
import { versionOf } from '../changes/change-spec.ts';
import { type BucketSettings, checkNewBucket, type NewBucket, roleOf } from './bucket-input.ts';
import type { Bucket } from './bucket-view.ts';
import type { ObjectOptionInput } from './object-options-input.ts';
import type { WebIdentityInput } from './web-identity-input.ts';

const PLACE = ['region', 'host', 'accountId', 'endpoint', 'caBundle'] as const satisfies readonly Exclude<
  keyof BucketSettings,
  'objectOptions'
>[];

type Change<T> = { readonly [Name in keyof T]?: T[Name] | null };

/** An absent setting stays unchanged; null removes the value. */
export interface BucketChange extends Change<Omit<BucketSettings, 'objectOptions'>> {
  readonly objectOptions?: Change<ObjectOptionInput> | undefined;
}

/** Identifies the settings that `update` changes. */
export function settingsVersion(bucket: Bucket): string {
  const { region, host, accountId, endpoint, caBundle, objectOptions, readable } = bucket;
  return versionOf([region, host, accountId, endpoint, caBundle, objectOptions, readable]);
}

function withoutNulls<T extends object>(fields: T): { readonly [Name in keyof T]: Exclude<T[Name], null> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as {
    readonly [Name in keyof T]: Exclude<T[Name], null>;
  };
}

/** A bucket as it is after the change; not validated. */
export function withChange(
  current: Pick<NewBucket, 'service' | 'bucketName'> & {
    readonly objectOptions?: ObjectOptions;
    readonly readable?: boolean;
  } & {
    readonly [Name in (typeof PLACE)[number]]?: string | null;
  },
  { objectOptions, ...place }: BucketChange,
): NewBucket {
  const { service, bucketName } = current;
  const { region, host, accountId, endpoint, caBundle, readable } = { ...current, ...place };
  return withoutNulls({
    service,
    bucketName,
    region,
    host,
    accountId,
    endpoint,
    caBundle,
    readable,
    objectOptions: withoutNulls({ ...current.objectOptions, ...objectOptions }),
  });
}

/** Only the fields that the change names, so that the others keep even what could not be read from a form. */
function changedFields<T extends object>(change: object, checked: T): Partial<T> {
  const values = new Map(Object.entries(checked));
  return Object.fromEntries(Object.keys(change).map((name) => [name, values.get(name)])) as Partial<T>;
}

function optionsAfter(
  before: ObjectOptions | undefined,
  change: object,
  checked: ObjectOptions = {},
): ObjectOptions | undefined {
  const options = defined({ ...before, ...changedFields(change, checked) });
  return Object.keys(options).length === 0 ? undefined : options;
}

/** Validates the settings as a whole, because they depend on each other. @throws AdministrationError InvalidInput */
export function specAfter(spec: ZipBucketSpec, change: BucketChange): ZipBucketSpec {
  const checked = checkNewBucket(withChange(spec, change));
  const { objectOptions, ...place } = change;
  return {
    ...spec,
    ...changedFields(place, checked),
    ...(objectOptions && {
      objectOptions: optionsAfter(spec.objectOptions, objectOptions, checked.objectOptions),
    }),
  } as ZipBucketSpec;
}

/** @throws AdministrationError InvalidInput */
export function specWithRole(spec: ZipBucketSpec, webIdentity: WebIdentityInput): ZipBucketSpec {
  const role = roleOf(spec.service, webIdentity);
  const unset = { stsRegion: undefined, stsEndpoint: undefined, durationSeconds: undefined };
  return {
    ...spec,
    credentials: {
      ...spec.credentials,
      webIdentity: defined({ ...spec.credentials?.webIdentity, ...unset, ...role.webIdentity }),
    },
  };
}

export function specWithKeys({ credentials: _role, ...spec }: ZipBucketSpec): ZipBucketSpec {
  return spec;
}
