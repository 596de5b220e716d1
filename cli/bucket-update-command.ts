import type { BucketChange } from '#administration/buckets/bucket-changes.ts';
import { ON_CONFLICTS } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
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
  readonly readable: boolean | undefined;
}

function changed(given: Given): string | null | undefined {
  return given === '' ? null : given;
}

function flag(given: Given): boolean | null | undefined {
  if (given === undefined) return undefined;
  return given === '' ? null : given === 'true';
}

function objectOptionsOf(args: UpdateArguments): BucketChange['objectOptions'] {
  const onConflict = changed(args.onConflict);
  return defined({
    storageClass: changed(args.storageClass),
    cacheControl: changed(args.cacheControl),
    contentDisposition: changed(args.contentDisposition),
    acl: changed(args.acl),
    serverSideEncryption: changed(args.serverSideEncryption),
    kmsKeyId: changed(args.kmsKeyId),
    bucketKeyEnabled: flag(args.bucketKeyEnabled),
    metadata: changed(args.metadata),
    tags: changed(args.tags),
    onConflict: onConflict === null ? null : ON_CONFLICTS.find((one) => one === onConflict),
  });
}

/** Only the given settings, so that a change by someone else is kept. */
async function changeOf(args: UpdateArguments, session: Session): Promise<BucketChange> {
  return {
    ...defined({
      region: changed(args.region),
      host: changed(args.host),
      accountId: changed(args.accountId),
      endpoint: changed(args.endpoint),
      readable: args.readable,
      caBundle: args.caFile === '' ? null : await readCaFile(args.caFile, session),
    }),
    objectOptions: objectOptionsOf(args),
  };
}

const update: Command<UpdateArguments> = async (args, session) => {
  if (
    Object.entries<unknown>({ ...args }).every(([name, value]) => !(name in SETTINGS) || value === undefined)
  )
    throw new UsageError(
      `Nothing to change. Pass at least one of ${Object.keys(SETTINGS)
        .map((name) => `--${name}`)
        .join(', ')}. To change the credentials, use: zipjobs bucket update-credentials`,
    );
  const buckets = session.administration.buckets(session.namespace);
  const bucket = await buckets.update(refOf(args), await changeOf(args, session));
  return {
    ...outputOf(bucket, session),
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
