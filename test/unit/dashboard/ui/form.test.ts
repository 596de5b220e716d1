import { expect } from 'chai';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { conflictErrors } from '#dashboard/ui/form.ts';

const CONFLICT = new AdministrationError('Someone else changed it', { code: 'Conflict' });
const CHOICES = [
  { value: '', text: 'Default of the bucket' },
  { value: 'a', text: 'First' },
  { value: 'b', text: 'Second' },
] as const;

describe('a form after a change by someone else', () => {
  it('shows the texts of choices, as the form does (UI1)', () => {
    const fields = [
      { name: 'list', label: 'List', options: CHOICES },
      { name: 'unset', label: 'Unset', options: CHOICES },
      { name: 'boxes', label: 'Boxes', choices: CHOICES },
      { name: 'newer', label: 'Newer', options: CHOICES },
      { name: 'none', label: 'None' },
    ];
    expect(
      conflictErrors(CONFLICT, fields, { list: 'b', unset: '', boxes: 'a,b', newer: 'x' }),
    ).to.deep.equal({
      '': CONFLICT.message,
      list: 'List is now: Second',
      unset: 'Unset is now: Default of the bucket',
      boxes: 'Boxes is now: First, Second',
      newer: 'Newer is now: x',
      none: 'None is now: not set',
    });
  });

  it('does not repeat a long value, such as a bundle of certificates (UI1)', () => {
    const fields = [{ name: 'caBundle', label: 'Certificate authorities' }];
    const { caBundle = '' } = conflictErrors(CONFLICT, fields, { caBundle: 'x'.repeat(16_384) });
    expect(caBundle).to.match(/^Certificate authorities was changed\./);
    expect(caBundle.length).to.be.below(200);
  });
});
