import { expect } from 'chai';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import { type OptionSchema, readJobDefaultsSchema } from '#dashboard/settings/job-defaults-schema.ts';
import {
  fieldOfOption,
  type JobOption,
  jobOptions,
  pathOfCallerOption,
  valueText,
} from '#dashboard/settings/job-options.ts';
import { fieldTexts, readOptions } from '#dashboard/settings/option-values.ts';
import { OPTION_GROUPS, OPTION_WORDS } from '#dashboard/settings/option-words.ts';

const SCHEMA = readJobDefaultsSchema();
const NOTHING = { label: 'Default', value: undefined };

function withOptions(properties: Readonly<Record<string, OptionSchema>>): readonly JobOption[] {
  return jobOptions({ ...SCHEMA, properties: { ...SCHEMA.properties, ...properties } });
}

function found(options: readonly JobOption[], path: string): JobOption {
  const option = options.find((one) => one.path === path);
  if (option === undefined) throw new Error(`no option ${path}`);
  return option;
}

describe('the options of forms', () => {
  const options = jobOptions(SCHEMA);

  it('are all those of the schema, in groups, and every word belongs to one (Q-U22)', () => {
    const groups = options.map(({ group }) => OPTION_GROUPS.indexOf(group));
    expect(groups).to.deep.equal(groups.toSorted((a, b) => a - b));
    expect(new Set(groups)).to.have.property('size', OPTION_GROUPS.length);
    expect(options.map(({ path }) => path)).to.have.members(Object.keys(OPTION_WORDS));
    expect(new Set(options.map(({ name }) => name))).to.have.property('size', options.length);
  });

  it('have an option that is added to the schema, with a label, a unit and its description (Q-U22)', () => {
    const description = 'How long to wait for a slow source.';
    const added = withOptions({
      sourceTimeoutSeconds: { type: 'integer', description, minimum: 1, maximum: 3_600 },
      newFormat: { type: 'string', enum: ['zip', 'zip64'], description: 'The format.' },
      spareBytes: { type: 'integer' },
      careful: { type: 'boolean' },
      objectOptions: {
        type: 'object',
        properties: {
          tags: { type: 'object', additionalProperties: {} },
          expires: { type: 'string', maxLength: 9 },
        },
      },
      copies: { type: 'object', properties: { tags: { type: 'object', additionalProperties: {} } } },
    });
    expect(found(added, 'sourceTimeoutSeconds')).to.deep.include({
      label: 'Source timeout seconds',
      group: 'Time limits',
      kind: 'seconds',
      hint: `${description} From 1 s to 1 hour.`,
    });
    expect(found(added, 'newFormat').choices).to.deep.equal([
      { value: 'zip', text: 'zip' },
      { value: 'zip64', text: 'zip64' },
    ]);
    expect(found(added, 'spareBytes')).to.deep.include({ kind: 'bytes', hint: 'Such as 256 MiB.' });
    expect(found(added, 'careful').choices.map(({ text }) => text)).to.deep.equal(['Yes', 'No']);
    expect(found(added, 'objectOptions.expires')).to.deep.include({ group: 'Object', maxlength: 9 });
    expect(found(added, 'copies.tags').name).to.equal('copies.tags');
  });

  it('refuse a schema with an option that no field can show', () => {
    expect(() => withOptions({ odd: { type: 'array' } })).to.throw('jobDefaults.odd of type array');
  });

  it('say in words what applies to a field without a value (Q-U22)', () => {
    function first(path: string, value?: unknown): string | undefined {
      const field = fieldOfOption(found(options, path), { label: 'Project default', value });
      return field.kind === 'select' ? field.options[0]?.text : field.hint;
    }
    expect(first('onSourceError', 'Skip')).to.equal('Project default: skip failed files');
    expect(first('onSourceError')).to.equal('Project default: fail the job');
    expect(first('manifestFormat', 'json')).to.equal('Project default: JSON');
    expect(first('sha256', true)).to.equal('Project default: compute it');
    expect(first('onConflict', 'of-newer-version')).to.equal('Project default: of-newer-version');
    expect(first('objectOptions.tags', { a: '1' })).to.contain('Project default: a=1.');
    expect(first('startDeadlineSeconds'))
      .to.contain('From 5 s to 1 day.')
      .and.contain('Project default: 10 min.');
    const { hint } = fieldOfOption(found(options, 'maxAttempts'), NOTHING);
    expect(hint).to.contain('From 1 to 10.').and.contain('Default: 4.');
  });

  it('are those that callers of the API know, too', () => {
    for (const option of CALLER_OPTIONS) found(options, pathOfCallerOption(option));
  });

  it('are read from a form with their units, and keep what it does not show (Q-U22)', () => {
    const before = {
      activeDeadlineSeconds: 5_400,
      ofNewerVersion: { some: 1 },
      objectOptions: { tags: { a: 'b' } },
    };
    const shown = fieldTexts(options, before);
    expect(shown['activeDeadlineSeconds']).to.equal('90 min');
    function read(texts: Readonly<Record<string, string>>): unknown {
      return readOptions(new URLSearchParams({ ...shown, ...texts }), options, before);
    }
    expect(read({})).to.deep.equal(before);
    expect(
      read({ activeDeadlineSeconds: '2 h', succeeded: '7 days', sha256: 'false', tags: '' }),
    ).to.deep.equal({
      activeDeadlineSeconds: 7_200,
      ofNewerVersion: { some: 1 },
      sha256: false,
      ttlSecondsAfterFinished: { succeeded: 604_800 },
    });
    expect(() => read({ failed: 'soon' })).to.throw(
      'Keep failed jobs in the cluster: use a number and a unit, such as 30 min or 7 days',
    );
    expect(() => read({ fixedModificationTime: 'yesterday' })).to.throw('RFC 3339 time');
  });

  it('have readable values', () => {
    expect(valueText(found(options, 'ttlSecondsAfterFinished.failed'), 86_400)).to.equal('1 day');
    expect(valueText(found(options, 'compression'), 'auto')).to.equal('Compress files that shrink');
  });
});
