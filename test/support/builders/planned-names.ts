/** Names as the zipper plans them, and what the API and the zipper refuse. */
import { expect } from 'chai';
import type { DuplicateNames, PortableNames } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { type EntryNameOptions, type EntryNames, planEntryNames } from '#zipper-image/archive/entry-names.ts';
import { A_REQUEST } from '../servers/api-server.ts';
import { checkBody } from './check-body.ts';

const URL = 'https://h.example.com/';

export function plan(names: readonly string[], options: Partial<EntryNameOptions> = {}): EntryNames {
  return planEntryNames(
    names.map((filename) => ({ url: URL, filename })),
    { key: 'a.zip', portableNames: 'keep', ...options },
  );
}

export function planned(names: readonly string[], portableNames: PortableNames): readonly string[] {
  const entries = plan(names, { portableNames });
  return names.map((_, index) => entries.nameOf(index));
}

/** The index of the file whose name is refused, and why. */
interface Refusal {
  readonly index: number;
  readonly problem: string;
}

function refusalOf(act: () => unknown, pattern: RegExp): Refusal | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    const [, index, problem = ''] = pattern.exec((error as Error).message) ?? [];
    if (index === undefined) throw error;
    return { index: Number(index), problem };
  }
}

const REFUSED_BY_ZIPPER = /^The name of file (\d+) is not allowed in the archive: it (.*)$/s;
const REFUSED_BY_API = /^urls\[(\d+)\]\.filename (.*)\.$/s;

export function byZipper(
  names: readonly string[],
  portableNames: PortableNames,
  duplicateNames?: DuplicateNames,
): Refusal | undefined {
  return refusalOf(() => plan(names, { portableNames, ...defined({ duplicateNames }) }), REFUSED_BY_ZIPPER);
}

function byApi(
  names: readonly string[],
  portableNames: PortableNames,
  duplicateNames: DuplicateNames | undefined,
): Refusal | undefined {
  return refusalOf(
    () =>
      checkBody({
        ...A_REQUEST,
        urls: names.map((filename) => ({ url: URL, filename })),
        portable_names: portableNames,
        ...defined({ duplicate_names: duplicateNames }),
      }),
    REFUSED_BY_API,
  );
}

/** What the API and the zipper say about the names. Both must say the same. The limit of the API is five files here. */
export function refusal(
  names: readonly string[],
  portableNames: PortableNames,
  duplicateNames?: DuplicateNames,
): Refusal | undefined {
  const found = byZipper(names, portableNames, duplicateNames);
  if (names.length <= 5)
    expect(byApi(names, portableNames, duplicateNames), JSON.stringify(names).slice(0, 200)).to.deep.equal(
      found,
    );
  return found;
}
