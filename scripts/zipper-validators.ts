/** The validators of the zipper as source text, so that no pod loads Ajv and compiles the same schemas again. */
import { Ajv, type Options } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { ZIPPER_TASK_SCHEMA } from '#crds/zipper-task.ts';
import { settingsSchema } from '#runtime/config/config.ts';
import { ZIPPER_SETTINGS } from '#runtime/zip-request/zipper-settings.ts';
import { ZIPPER_VARIABLES } from '#zipper-image/config.ts';
import { OWN_CHECKPOINT_SCHEMA } from '#zipper-image/status/own-checkpoint.ts';
import { OWN_ZIP_JOB_SCHEMA } from '#zipper-image/status/own-zip-job.ts';

const HEADER = `// @ts-nocheck
// Generated from the schemas by Ajv. Run \`node scripts/compile-validators.ts\` after you change one.
`;
/** The only function of Ajv that the code calls. Ajv writes a call of \`require\` also into ES modules. */
const UCS2_LENGTH = /^const (\w+) = require\("ajv\/dist\/runtime\/ucs2length"\)\.default;$/gm;

function generate(schemas: Readonly<Record<string, object>>, options: Options): string {
  const ajv = new Ajv({
    strict: true,
    discriminator: true,
    schemas: Object.entries(schemas).map(([$id, schema]) => ({ $id, ...schema })),
    code: { source: true, esm: true, lines: true, optimize: 2 },
    ...options,
  });
  const names = Object.fromEntries(Object.keys(schemas).map((id) => [id, id]));
  const code = standalone.default(ajv, names).replace('"use strict";', '');
  const lengths = [...code.matchAll(UCS2_LENGTH)].map(([, name = '']) => name);
  const aliases = lengths.map((name) => `const ${name} = ucs2length.default;\n`).join('');
  const imports = lengths.length > 0 ? "import ucs2length from 'ajv/dist/runtime/ucs2length.js';\n" : '';
  const text = `${HEADER}${imports}${aliases}${code.replaceAll(UCS2_LENGTH, '')}`;
  if (text.includes('require(')) throw new Error('the generated validators need another module of Ajv');
  return text;
}

/** Text of each file by its path. */
export function zipperValidators(): Readonly<Record<string, string>> {
  return {
    'zipper-image/validators/settings.ts': generate(
      {
        validateVariables: settingsSchema(ZIPPER_VARIABLES),
        // Constants, which tests may change.
        validateSettings: {
          ...settingsSchema(ZIPPER_SETTINGS),
          additionalProperties: { type: 'integer', minimum: 0 },
        },
      },
      { allErrors: true },
    ),
    'zipper-image/validators/documents.ts': generate(
      {
        validateTask: ZIPPER_TASK_SCHEMA,
        validateOwnZipJob: OWN_ZIP_JOB_SCHEMA,
        validateOwnCheckpoint: OWN_CHECKPOINT_SCHEMA,
      },
      {},
    ),
  };
}
