import { ENCRYPTIONS, type Encryption, type ObjectOptions } from '#crds/zip-bucket.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { StoreKind } from '#runtime/store/store-location.ts';
import { findBucketFault } from '#runtime/zip-request/object-options.ts';
import { invalidInput } from '../errors/administration-error.ts';

/** Unvalidated options from a form or from arguments. */
export interface ObjectOptionInput extends Omit<ObjectOptions, 'serverSideEncryption' | 'metadata' | 'tags'> {
  readonly serverSideEncryption?: string;
  readonly metadata?: PairsInput;
  readonly tags?: PairsInput;
}

type Pairs = Readonly<Record<string, string>>;

/** Texts of the form `name=value`, separated by commas or as a list; or the pairs of an existing bucket. */
type PairsInput = string | readonly string[] | Pairs;

function isList(given: readonly string[] | Pairs): given is readonly string[] {
  return Array.isArray(given);
}

/** @throws AdministrationError InvalidInput */
export function readPairs(field: 'metadata' | 'tags', given: PairsInput | undefined): Pairs | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'string' && !isList(given)) return given;
  const read = new Map<string, string>();
  const pairs = (typeof given === 'string' ? given.split(',') : given).filter((pair) => pair.trim() !== '');
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at < 0)
      throw invalidInput(field, `objectOptions.${field}: use name=value, such as team=sales,stage=live`);
    if (read.has(name)) throw invalidInput(field, `objectOptions.${field} has the same name twice`);
    read.set(name, pair.slice(at + 1).trim());
  }
  return Object.fromEntries(read);
}

function readEncryption(text: string | undefined): Encryption | undefined {
  if (text === undefined) return undefined;
  const known = ENCRYPTIONS.find((encryption) => encryption === text);
  if (known !== undefined) return known;
  throw invalidInput(
    'serverSideEncryption',
    `objectOptions.serverSideEncryption must be ${ENCRYPTIONS.join(' or ')}`,
  );
}

/**
 * The options of a new bucket; undefined if it has none.
 * @throws AdministrationError InvalidInput with the words of the definition of ZipBucket
 */
export function readObjectOptions(
  { serverSideEncryption, metadata, tags, ...given }: ObjectOptionInput,
  kind: StoreKind,
): ObjectOptions | undefined {
  const options = defined({
    ...given,
    serverSideEncryption: readEncryption(serverSideEncryption),
    metadata: readPairs('metadata', metadata),
    tags: readPairs('tags', tags),
  });
  const fault = findBucketFault(options, kind);
  if (fault) throw invalidInput(fault.field, `objectOptions.${fault.field} ${fault.problem}`);
  return Object.keys(options).length === 0 ? undefined : options;
}
