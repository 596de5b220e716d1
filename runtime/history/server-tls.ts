import type { SecureContext } from 'node:tls';
import { readSettingFile } from '../config/read-setting-file.ts';
import type { Logger } from '../log/log.ts';
import { parseCertificates } from '../tls/certificates.ts';
import { type ClientTls, onlyTrust, type Trust } from '../tls/trust.ts';
import type { HistorySettings } from './settings.ts';

function read(file: string): string {
  return readSettingFile('HISTORY_CA_FILE', file);
}

function trustIn(text: string, file: string): Trust {
  return onlyTrust(parseCertificates(text, `HISTORY_CA_FILE: ${file}`));
}

/** Follows the file, because operators of PostgreSQL replace their authorities. An invalid change is logged and not used. */
function followFile(file: string, log: Logger): Trust {
  let seen = read(file);
  let trust = trustIn(seen, file);
  return {
    tls: () => {
      try {
        const text = read(file);
        if (text !== seen) {
          seen = text;
          trust = trustIn(text, file);
          log.info({ file }, 'the certificate authorities of the history database have changed');
        }
      } catch (error) {
        log.error({ err: error }, 'HISTORY_CA_FILE is invalid: the previous authorities stay in use');
      }
      return trust.tls();
    },
  };
}

/**
 * The TLS options of the client, which reads them for each connection. False: no TLS.
 * @throws ConfigError for an invalid HISTORY_CA_FILE
 */
export function serverTls(
  { historyTls, historyCaFile }: HistorySettings,
  { log, trust }: { readonly log: Logger; readonly trust: Trust },
): ClientTls | false {
  if (historyTls === 'disable') return false;
  const used = historyCaFile === '' ? trust : followFile(historyCaFile, log);
  return {
    rejectUnauthorized: true,
    get secureContext() {
      return used.tls().secureContext as SecureContext;
    },
  };
}
