import { readFileSync } from 'node:fs';
import { ConfigError } from '../errors.ts';

/** The text of the file that a setting names. @throws ConfigError that names the setting and the file */
export function readSettingFile(env: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${env}: cannot read ${file}`, error);
  }
}
