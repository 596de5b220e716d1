import type { ObjectOptionInput } from '#administration/buckets/object-options-input.ts';
import type { OnConflict } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { type BucketArguments, flagsOf, outputOf, readableOf, refOf, testOf } from './bucket-text.ts';
import { addBucketUpdate } from './bucket-update-command.ts';
import { readCaFile } from './ca-file.ts';
import { type Command, type CommandGroup, NO_COMMAND } from './command.ts';
import { confirmed } from './confirm.ts';
import { readCredentials } from './credentials.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { BUCKET, BUCKET_OPTIONS, CREDENTIALS, TIMEOUT, YES } from './options.ts';
import { toTable } from './table.ts';
import { waitOptions } from './wait-options.ts';

interface CreateArguments extends BucketArguments {
  readonly region: string | undefined;
  readonly host: string | undefined;
  readonly accountId: string | undefined;
  readonly endpoint: string | undefined;
  readonly caFile: string | undefined;
  readonly storageClass: string | undefined;
  readonly cacheControl: string | undefined;
  readonly contentDisposition: string | undefined;
  readonly acl: string | undefined;
  readonly serverSideEncryption: string | undefined;
  readonly kmsKeyId: string | undefined;
  readonly bucketKeyEnabled: boolean | undefined;
  readonly metadata: string | undefined;
  readonly tags: string | undefined;
  readonly onConflict: OnConflict | undefined;
  readonly readable: boolean | undefined;
  readonly credentialsFile: string | undefined;
  readonly profile: string | undefined;
  readonly test: boolean;
  readonly timeout: number;
}

const list: Command<GlobalArguments> = async (_args, session) => {
  const buckets = await session.administration.buckets(session.namespace).list();
  const rows = buckets.map((bucket) => [
    bucket.bucketName,
    bucket.service,
    bucket.region,
    readableOf(bucket),
    bucket.createdAt,
    testOf(bucket, session.terminal.isDecorated),
  ]);
  return {
    value: buckets,
    text: toTable(['BUCKET', 'SERVICE', 'REGION', 'READABLE', 'CREATED', 'LAST TEST'], rows),
  };
};

const show: Command<BucketArguments> = async (args, session) =>
  outputOf(await session.administration.buckets(session.namespace).show(refOf(args)), session);

function objectOptionsOf(args: CreateArguments): ObjectOptionInput {
  return defined({
    storageClass: args.storageClass,
    cacheControl: args.cacheControl,
    contentDisposition: args.contentDisposition,
    acl: args.acl,
    serverSideEncryption: args.serverSideEncryption,
    kmsKeyId: args.kmsKeyId,
    bucketKeyEnabled: args.bucketKeyEnabled,
    metadata: args.metadata,
    tags: args.tags,
    onConflict: args.onConflict,
  });
}

const test: Command<BucketArguments & { readonly timeout: number }> = async (args, session) => {
  const bucket = await session.administration
    .buckets(session.namespace)
    .test(refOf(args), waitOptions(args, session));
  const { ok = false } = bucket.lastTest ?? {};
  return {
    ...outputOf(bucket, session),
    exitCode: ok ? EXIT_CODES.ok : EXIT_CODES.failed,
    ...(!ok && { notes: [`Once fixed, run: zipjobs bucket test ${flagsOf(args, session)}`] }),
  };
};

const create: Command<CreateArguments> = async (args, session) => {
  const { region, host, accountId, endpoint, readable } = args;
  const caBundle = await readCaFile(args.caFile, session);
  const objectOptions = objectOptionsOf(args);
  const place = { region, host, accountId, endpoint, caBundle };
  const given = { ...refOf(args), ...place, objectOptions, readable };
  const buckets = session.administration.buckets(session.namespace);
  // Report other errors before the user types credentials.
  await buckets.checkNew(given);
  const bucket = await buckets.create(given, await readCredentials(args, session));
  if (!args.test)
    return { ...outputOf(bucket, session), notes: [`Next: zipjobs bucket test ${flagsOf(args, session)}`] };
  // Whatever ends the test, the bucket exists.
  session.terminal.note(`Bucket "${bucket.bucketName}" added. Testing it from inside the cluster`);
  return test(args, session);
};

const updateCredentials: Command<
  BucketArguments & Pick<CreateArguments, 'credentialsFile' | 'profile'>
> = async (args, session) => {
  const buckets = session.administration.buckets(session.namespace);
  await buckets.show(refOf(args));
  const bucket = await buckets.updateCredentials(refOf(args), await readCredentials(args, session));
  return {
    ...outputOf(bucket, session),
    notes: [
      'Credentials updated. Jobs that start from now on use them. The last test is older than the new credentials.',
      `Next: zipjobs bucket test ${flagsOf(args, session)}`,
    ],
  };
};

const remove: Command<
  BucketArguments & { readonly yes: boolean | undefined; readonly force: boolean; readonly timeout: number }
> = async (args, session) => {
  const buckets = session.administration.buckets(session.namespace);
  // Before the user is asked: the deletion itself checks again.
  const { bucketName, service } = await (args.force || args.yes === true
    ? buckets.show(refOf(args))
    : buckets.checkDelete(refOf(args)));
  const fate = args.force ? ' Unfinished jobs that use it will fail.' : '';
  await confirmed(
    session,
    `Delete bucket "${bucketName}" (${service}) and its credentials from zipjobs?${fate}`,
    args,
  );
  const wait = { ...waitOptions(args, session), force: args.force };
  const { isGone, failure } = await buckets.delete(refOf(args), wait);
  const unknown =
    failure && `It is not known whether it is gone. The last request failed: ${failure.message}`;
  return {
    value: { bucketName, service, deleted: true, gone: isGone },
    text: `Bucket "${bucketName}" ${isGone ? 'deleted' : 'marked for deletion'}. Its objects at the provider are kept.`,
    ...(unknown !== undefined && { exitCode: EXIT_CODES.timedOut }),
    ...(!isGone && {
      notes: [
        ...(unknown === undefined ? [] : [unknown]),
        `It is deleted once no job refers to it, including finished jobs. Check with: zipjobs bucket show ${flagsOf(args, session)}`,
      ],
    }),
  };
};

const TEST_TIMEOUT = TIMEOUT('150s');

const addCreate: CommandGroup = (group, run) =>
  group.command(
    'create <bucket>',
    'Add a bucket that exists at the provider',
    (args) =>
      args
        .positional('bucket', BUCKET)
        .options({
          ...BUCKET_OPTIONS.one,
          ...BUCKET_OPTIONS.create,
          ...CREDENTIALS,
          test: { type: 'boolean', default: true, describe: 'Test the bucket after it was added' },
          timeout: TEST_TIMEOUT,
        })
        .example(
          '$0 bucket create reports --region eu-central-1',
          'Add an S3 bucket; prompts for its credentials',
        )
        .example(
          '$0 bucket create reports --region us-east-1 --endpoint https://s3.example.com',
          'Add a bucket of an S3-compatible store',
        )
        .example(
          '$0 bucket create reports --service r2 --account-id 0123abcd --host 0123abcd.r2.cloudflarestorage.com',
          'Add an R2 bucket',
        ),
    run(create),
  );

export const addBucketCommands: CommandGroup = (parser, run) =>
  parser.command('bucket', 'Manage the buckets that archives are written to', (group) =>
    addBucketUpdate(addCreate(group, run), run)
      .command('list', 'List the buckets of the project', (args) => args, run(list))
      .command(
        'show <bucket>',
        'Show a bucket',
        (args) => args.positional('bucket', BUCKET).options(BUCKET_OPTIONS.one),
        run(show),
      )
      .command(
        ['update-credentials <bucket>', 'set-credentials'],
        'Replace the credentials of a bucket',
        (args) => args.positional('bucket', BUCKET).options({ ...BUCKET_OPTIONS.one, ...CREDENTIALS }),
        run(updateCredentials),
      )
      .command(
        'test <bucket>',
        'Test the connection and permissions of a bucket from inside the cluster',
        (args) => args.positional('bucket', BUCKET).options({ ...BUCKET_OPTIONS.one, timeout: TEST_TIMEOUT }),
        run(test),
      )
      .command(
        'delete <bucket>',
        'Delete a bucket and its credentials from zipjobs; the bucket at the provider is kept',
        (args) =>
          args
            .positional('bucket', BUCKET)
            .options({ ...BUCKET_OPTIONS.one, ...BUCKET_OPTIONS.delete, yes: YES, timeout: TIMEOUT('30s') }),
        run(remove),
      )
      .demandCommand(1, NO_COMMAND),
  );
