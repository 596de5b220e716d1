import { invalidInput } from '#administration/errors/administration-error.ts';
import { ceilingText, exceededMaximum } from '#administration/projects/project-limits.ts';
import type { ProjectSettings } from '#administration/projects/project-settings.ts';
import type { ProjectLimits } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { eachLimit, isNoLimit, isSize, type LimitName } from '#runtime/project-limits/lower-limit.ts';
import { isUnchanged } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { bytesText, readBytes, readWhole, type SettingField } from './setting-field.ts';
import type { SettingsForm } from './settings-form.ts';

const LABELS: Readonly<Record<LimitName, string>> = {
  activeJobs: 'Active jobs',
  filesPerJob: 'Files per job',
  archiveBytes: 'Bytes of an archive',
  requestsPerMinute: 'Requests per minute',
  createsPerSecond: 'Creates per second',
  filesPerSecond: 'Files per second',
  storedJobs: 'Stored jobs',
  storedBytes: 'Stored bytes',
};
const NAMES = Object.values(eachLimit((name) => name));

function textOf(name: LimitName, value: number): string {
  if (isNoLimit(name, value)) return 'No limit';
  return isSize(name) ? FORMAT.bytes(value) : FORMAT.number(value);
}

const UNKNOWN = 'Not reported yet';

/** What is used of a limit. */
interface LimitUsage {
  /** `3.2 MiB of 512 MiB`; only what is used while the limit is unknown. */
  readonly text: string;
  readonly used: number;
  readonly most: number | null;
  readonly look: '' | 'warn' | 'bad';
}

/** One limit: what is used of it, the value in force, the highest value that the class allows, and that of the project. */
export interface LimitRow {
  readonly label: string;
  /** Undefined for a limit of rates or sizes, which nothing uses up. */
  readonly usage: LimitUsage | undefined;
  readonly inForce: string;
  readonly ofClass: string;
  readonly own: string;
  /** Why the value of the project has no effect; empty if it has, or if there is none. */
  readonly note: string;
}

const ALMOST_FULL = 0.8;

function usageOf(name: LimitName, used: number | undefined, most: number | null): LimitUsage | undefined {
  if (used === undefined) return undefined;
  if (most === null) return { text: textOf(name, used), used, most, look: '' };
  const look = used >= most ? 'bad' : used >= most * ALMOST_FULL ? 'warn' : '';
  return { text: `${textOf(name, used)} of ${textOf(name, most)}`, used, most, look };
}

function noteOf(own: number | null, inForce: number | null): string {
  return own === null || inForce === null || inForce === own ? '' : 'no effect, above the class';
}

export function limitRows(
  settings: ProjectSettings,
  usage: Partial<Readonly<Record<LimitName, number>>>,
): readonly LimitRow[] {
  return NAMES.map((name) => {
    const own = settings.limits[name];
    const ofClass = settings.class?.limits[name];
    const inForce = settings.limitsInForce[name];
    return {
      label: LABELS[name],
      usage: usageOf(name, usage[name], inForce),
      inForce: inForce === null ? UNKNOWN : textOf(name, inForce),
      ofClass: ofClass === undefined ? UNKNOWN : textOf(name, ofClass),
      own: own === null ? '–' : textOf(name, own),
      note: noteOf(own, inForce),
    };
  });
}

function fieldOf(name: LimitName, settings: ProjectSettings): SettingField {
  const ofClass = settings.class?.limits[name];
  const highest = ofClass === undefined ? '' : `The class allows: ${textOf(name, ofClass)}.`;
  const unit = isSize(name) ? ' Bytes, or with a unit, such as 256 MiB.' : '';
  return {
    kind: 'text',
    name,
    path: `limits.${name}`,
    label: LABELS[name],
    hint: `${highest}${unit}`.trim(),
    maxlength: 20,
  };
}

function checkCeiling(name: LimitName, value: number, settings: ProjectSettings): void {
  const maximum = exceededMaximum(settings, name, value);
  if (maximum !== undefined)
    throw invalidInput(name, `${LABELS[name]}: ${ceilingText(settings, textOf(name, maximum))}`);
}

/** The text of a limit that the project sets; empty for none. */
function valueOf(name: LimitName, { limits }: ProjectSettings): string {
  const own = limits[name];
  if (own === null) return '';
  return isSize(name) ? bytesText(own) : String(own);
}

function readLimit(form: URLSearchParams, name: LimitName, settings: ProjectSettings): number | undefined {
  if (isUnchanged(form, name, valueOf(name, settings))) return settings.limits[name] ?? undefined;
  const field = { name, label: LABELS[name] };
  const value = isSize(name) ? readBytes(form, field) : readWhole(form, field);
  if (value !== undefined) checkCeiling(name, value, settings);
  return value;
}

export const LIMITS_FORM: SettingsForm = {
  slug: 'limits',
  title: 'Limits',
  part: 'limits',
  lead: () =>
    'A project can only lower the limits of its class. Leave a field empty to use the value of the class. Changes apply to new jobs and requests.',
  fields: (settings) => NAMES.map((name) => fieldOf(name, settings)),
  values: (settings) => Object.fromEntries(NAMES.map((name) => [name, valueOf(name, settings)])),
  read: (form, settings) => {
    const limits: Partial<ProjectLimits> = defined({
      ...settings.own.limits,
      ...eachLimit((name) => readLimit(form, name, settings)),
    });
    return { part: 'limits', value: Object.keys(limits).length === 0 ? undefined : limits };
  },
};
