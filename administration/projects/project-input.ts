import type { ProjectLimits } from '#crds/zip-project.ts';
import { invalidInput } from '../errors/administration-error.ts';

export interface NewProject {
  readonly namespace: string;
  readonly displayName?: string;
  readonly limits?: Partial<ProjectLimits>;
  /** Also creates the namespace if it does not exist. */
  readonly createNamespace?: boolean;
}

/** An absent field stays unchanged; null removes the value. */
export interface ProjectChange {
  readonly displayName?: string | null;
  readonly limits?: { readonly [Name in keyof ProjectLimits]?: number | null };
  readonly historyRetentionDays?: number | null;
}

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_DISPLAY_NAME = 128;
const MAX_INT32 = 2_147_483_647;

/** @throws AdministrationError InvalidInput */
function checkNamespace(namespace: string): void {
  if (!DNS_LABEL.test(namespace))
    throw invalidInput(
      'namespace',
      `Invalid namespace "${namespace.slice(0, 80)}". Use 1 to 63 lowercase letters, digits and "-", with a letter or digit at both ends`,
    );
}

/** @throws AdministrationError InvalidInput */
export function checkDisplayName(field: string, displayName: string | undefined): void {
  if (displayName !== undefined && (displayName.trim() === '' || displayName.length > MAX_DISPLAY_NAME))
    throw invalidInput(
      field,
      `Invalid ${field}: use 1 to ${MAX_DISPLAY_NAME} characters, not only spaces (got ${displayName.length} characters)`,
    );
}

/** @throws AdministrationError InvalidInput */
export function checkProjectChange({ displayName, limits = {} }: ProjectChange): void {
  checkDisplayName('displayName', displayName ?? undefined);
  for (const [name, value] of Object.entries(limits)) {
    const maximum = name === 'storedBytes' ? Number.MAX_SAFE_INTEGER : MAX_INT32;
    if (value !== null && (!Number.isInteger(value) || Number(value) < 1 || Number(value) > maximum))
      throw invalidInput(
        name,
        `Invalid limit ${name}: ${String(value)}. Use an integer from 1 to ${maximum}`,
      );
  }
}

/** @throws AdministrationError InvalidInput */
export function checkNewProject(project: NewProject): void {
  checkNamespace(project.namespace);
  checkProjectChange(project);
}
