import type { BucketSettings } from '#administration/bucket-input.ts';
import type { Bucket } from '#administration/bucket-view.ts';
import type { ObjectOptionInput } from '#administration/object-options-input.ts';
import { ON_CONFLICTS } from '#crds/zip-job.ts';
import { defined } from '#runtime/optional.ts';
import { type BucketArguments, flagsOf, outputOf, refOf } from './bucket-text.ts';
import { readCaFile } from './ca-file.ts';
import type { Command, CommandGroup } from './command.ts';
import { BUCKET, BUCKET_OPTIONS } from './options.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

const { update: SETTINGS } = BUCKET_OPTIONS;

/** Undefined: the current value is kept. `''` removes it. */
type Given = string | undefined;

interface UpdateArguments extends BucketArguments {
  readonly region: Given;
  readonly host: Given;
  readonly accountId: Given;
  readonly endpoint: Given;
  readonly caFile: Given;
  readonly storageClass: Given;
  readonly cacheControl: Given;
  readonly contentDisposition: Given;
  readonly acl: Given;
  readonly serverSideEncryption: Given;
  readonly kmsKeyId: Given;
  readonly bucketKeyEnabled: Given;
  readonly metadata: Given;
  readonly tags: Given;
  readonly onConflict: Given;
}

/** The current value unless another one is given; undefined for none. */
const changed = <T>(given: Given, current: T | null | undefined): string | T | undefined => {
  if (given === '') return undefined;
  return given ?? current ?? undefined;
};

const objectOptionsOf = (args: UpdateArguments, { objectOptions: now }: Bucket): ObjectOptionInput => {
  const isBucketKey = changed(args.bucketKeyEnabled, now.bucketKeyEnabled?.toString());
  const onConflict = changed(args.onConflict, now.onConflict);
  return defined({
    storageClass: changed(args.storageClass, now.storageClass),
    cacheControl: changed(args.cacheControl, now.cacheControl),
    contentDisposition: changed(args.contentDisposition, now.contentDisposition),
    acl: changed(args.acl, now.acl),
    serverSideEncryption: changed(args.serverSideEncryption, now.serverSideEncryption),
    kmsKeyId: changed(args.kmsKeyId, now.kmsKeyId),
    bucketKeyEnabled: isBucketKey === undefined ? undefined : isBucketKey === 'true',
    metadata: changed(args.metadata, now.metadata),
    tags: changed(args.tags, now.tags),
    onConflict: ON_CONFLICTS.find((one) => one === onConflict),
  });
};

/** All settings of the bucket, with the given changes. */
const settingsOf = async (
  args: UpdateArguments,
  bucket: Bucket,
  session: Session,
): Promise<BucketSettings> => {
  const caBundle = args.caFile === '' ? '' : await readCaFile(args.caFile, session);
  return {
    region: changed(args.region, bucket.region),
    host: changed(args.host, bucket.host),
    accountId: changed(args.accountId, bucket.accountId),
    endpoint: changed(args.endpoint, bucket.endpoint),
    caBundle: changed(caBundle, bucket.caBundle),
    objectOptions: objectOptionsOf(args, bucket),
  };
};

const update: Command<UpdateArguments> = async (args, session) => {
  if (
    Object.entries<unknown>({ ...args }).every(([name, value]) => !(name in SETTINGS) || value === undefined)
  )
    throw new UsageError(
      `Nothing to change. Pass at least one of ${Object.keys(SETTINGS)
        .map((name) => `--${name}`)
        .join(', ')}. To change the credentials, use: zipjobs bucket set-credentials`,
    );
  const buckets = session.administration.buckets(session.namespace);
  const before = await buckets.show(refOf(args));
  const bucket = await buckets.update(refOf(args), await settingsOf(args, before, session));
  return {
    ...outputOf(bucket),
    notes: [
      'Settings updated. Jobs that start from now on use them. The last test is older than the new settings.',
      `Next: zipjobs bucket test ${flagsOf(args, session)}`,
    ],
  };
};

export const addBucketUpdate: CommandGroup = (group, run) =>
  group.command(
    'update <bucket>',
    'Change the given settings of a bucket and keep the others',
    (args) =>
      args
        .positional('bucket', BUCKET)
        .options({ ...BUCKET_OPTIONS.one, ...SETTINGS })
        .example(
          "$0 bucket update reports --storage-class STANDARD_IA --tags ''",
          'Set one setting and remove another',
        ),
    run(update),
  );
