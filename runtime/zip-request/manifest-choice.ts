import type { ManifestChoice } from '#crds/manifest-files.ts';
import {
  DUPLICATE_NAMES,
  type DuplicateNames,
  MANIFEST_FORMATS,
  type ManifestFormat,
  PORTABLE_NAMES,
  type PortableNames,
  SPEC_DEFAULTS,
} from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { defined } from '../collections/optional.ts';
import type { ManifestNameRules } from '../entries/manifest-names.ts';

/** What a request chooses; an absent field has the default of the project. */
export interface NameOptions {
  readonly manifest?: ManifestFormat;
  readonly portableNames?: PortableNames;
  readonly duplicateNames?: DuplicateNames;
}

type Defaults = ZipProject['spec']['jobDefaults'] & object;

/** Name of the JSON manifest if the project names none. */
const MANIFEST_ENTRY = 'manifest.json';

/** The manifest of the job: that of the request, or else of the project. */
export function chosenManifest(
  { manifest }: Pick<NameOptions, 'manifest'>,
  { manifestFormat, manifestEntry }: Defaults,
): ManifestChoice {
  const format = manifest ?? MANIFEST_FORMATS.find((choice) => choice === manifestFormat);
  if (format === 'sha256sum' || format === 'bagit') return { manifestFormat: format };
  return defined({ manifestEntry: manifestEntry ?? (manifest === 'json' ? MANIFEST_ENTRY : undefined) });
}

/** The rules for file names that follow from the options. */
export function nameRules(options: NameOptions, defaults: Defaults): ManifestNameRules {
  const duplicates =
    options.duplicateNames ?? DUPLICATE_NAMES.find((choice) => choice === defaults.duplicateNames);
  const chosen = options.portableNames ?? PORTABLE_NAMES.find((choice) => choice === defaults.portableNames);
  return {
    portableNames: chosen ?? SPEC_DEFAULTS.portableNames,
    ...defined({ duplicateNames: duplicates }),
    ...chosenManifest(options, defaults),
  };
}
