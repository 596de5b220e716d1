import { type ArchiveReader, missingFor } from './readers.ts';

/** Skips the test, and says how to have it run, when its reader is not installed; in CI that is a failure. */
export const requireReader = async (
  context: Mocha.Context,
  reader: Pick<ArchiveReader, 'name' | 'needs' | 'probe' | 'debianPackage'>,
): Promise<void> => {
  const missing = await missingFor(reader);
  if (missing.length === 0) return;
  const remedy = `${reader.name} needs ${missing.join(', ')}: apt-get install ${reader.debianPackage}`;
  if (process.env['CI'] === 'true') throw new Error(remedy);
  console.log(`      ${remedy}`);
  context.skip();
};
