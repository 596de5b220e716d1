import { invalidInput } from '#administration/errors/administration-error.ts';

export interface Choice {
  readonly value: string;
  readonly text: string;
  /** A quiet addition to the text of a box. */
  readonly note?: string;
}

interface Common {
  readonly name: string;
  readonly label: string;
  /** Fields of one group are together, below its name. Default: none. */
  readonly group?: string;
  /** Default: none. */
  readonly hint?: string;
  /** Path below the spec, if it is not the name: the API server names it in its errors. */
  readonly path?: string;
}

/** One field of a form that changes settings. */
export type SettingField =
  | (Common & { readonly kind: 'text'; readonly maxlength?: number })
  | (Common & { readonly kind: 'lines'; readonly maxlength: number })
  | (Common & {
      readonly kind: 'select';
      readonly options: readonly Choice[];
    })
  | (Common & {
      readonly kind: 'boxes';
      readonly choices: readonly Choice[];
    })
  | (Common & { readonly kind: 'check' });

/** The field that an error belongs to: of its path or of a value below it, otherwise the whole form (`''`). */
export function fieldOf(fields: readonly SettingField[], path: string): string {
  function owns({ name, path: own = name }: SettingField): boolean {
    return path === name || path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`);
  }
  return fields.find(owns)?.name ?? '';
}

function textOf(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').trim();
}

/** Undefined for an empty field. */
export function readText(form: URLSearchParams, { name }: Pick<Common, 'name'>): string | undefined {
  const text = textOf(form, name);
  return text === '' ? undefined : text;
}

/** Undefined for an empty field. @throws AdministrationError InvalidInput */
export function readWhole(
  form: URLSearchParams,
  { name, label }: Pick<Common, 'name' | 'label'>,
): number | undefined {
  const text = textOf(form, name);
  if (text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalidInput(name, `${label}: use a whole number`);
  return Number(text);
}

const STEP = 1_024;
const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const SIZE = /^(\d{1,15}) ?(B|KiB|MiB|GiB|TiB)?$/i;

/** Bytes of `512 MiB` or of a plain number; undefined for an empty field. @throws AdministrationError InvalidInput */
export function readBytes(
  form: URLSearchParams,
  { name, label }: Pick<Common, 'name' | 'label'>,
): number | undefined {
  const text = textOf(form, name);
  if (text === '') return undefined;
  const [, count = '', unit = 'B'] = SIZE.exec(text) ?? [];
  const bytes = Number(count) * STEP ** SIZES.findIndex((size) => size.toLowerCase() === unit.toLowerCase());
  if (count === '' || !Number.isSafeInteger(bytes))
    throw invalidInput(name, `${label}: use a whole number of bytes, or one with a unit, such as 512 MiB`);
  return bytes;
}

/** The exact text of a size: `512 MiB`, or bytes if no unit fits. */
export function bytesText(bytes: number): string {
  let [count, power] = [bytes, 0];
  while (count > 0 && count % STEP === 0 && power < SIZES.length - 1) {
    count /= STEP;
    power += 1;
  }
  return `${count} ${SIZES[power] ?? 'B'}`;
}
