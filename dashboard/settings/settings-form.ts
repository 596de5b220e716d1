import type { ProjectSettings, SettingsValue } from '#administration/projects/project-settings.ts';
import type { SettingField } from './setting-field.ts';

/** The form of one part of the settings. */
export interface SettingsForm {
  /** Last part of its path. */
  readonly slug: string;
  readonly title: string;
  readonly part: SettingsValue['part'];
  readonly lead: (settings: ProjectSettings) => string;
  readonly fields: (settings: ProjectSettings) => readonly SettingField[];
  /** Current values by field. Several boxes are separated by commas. */
  readonly values: (settings: ProjectSettings) => Readonly<Record<string, string>>;
  /** @throws AdministrationError InvalidInput with the name of the field */
  readonly read: (form: URLSearchParams, settings: ProjectSettings) => SettingsValue;
}
