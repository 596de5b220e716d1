import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { readSettingFile } from '../config/read-setting-file.ts';
import { ConfigError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { type Certificate, parseCertificates } from './certificates.ts';
import type { TrustSettings } from './settings.ts';
import { BUILT_IN_TRUST, type ClientTls, type Trust, tlsOf } from './trust.ts';

/** The bundle of the operator, which follows changes of its file. */
export interface BundleTrust extends Trust {
  /** The certificates of the bundle that Node does not have, as PEM. Empty without any. */
  additional(): string;
}

export interface BundleDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}

/** As many as one ConfigMap can contain. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Zippers get these certificates in a variable, and Linux limits one to 128 KiB. */
const MAX_ADDITIONAL_BYTES = 64 * 1024;

const NO_BUNDLE: BundleTrust = { ...BUILT_IN_TRUST, additional: () => '' };

function read(file: string): string {
  const text = readSettingFile('TRUST_BUNDLE_FILE', file);
  if (text.length <= MAX_FILE_BYTES) return text;
  throw new ConfigError(`TRUST_BUNDLE_FILE: ${file} is larger than ${MAX_FILE_BYTES} bytes`);
}

let builtIn: ReadonlySet<string> | undefined;

function isBuiltIn({ fingerprint }: Certificate): boolean {
  builtIn ??= new Set(rootCertificates.map((pem) => new X509Certificate(pem).fingerprint256));
  return builtIn.has(fingerprint);
}

interface Loaded {
  readonly text: string;
  readonly tls: ClientTls;
  readonly additional: string;
}

/** Bundles of a distribution repeat the public authorities, so only the others count and are copied. */
function load(file: string, text: string): Loaded {
  const added = parseCertificates(text, `TRUST_BUNDLE_FILE: ${file}`).filter((one) => !isBuiltIn(one));
  const unique = [...new Map(added.map((one) => [one.fingerprint, one])).values()];
  const additional = unique.map(({ pem }) => pem).join('');
  if (additional.length > MAX_ADDITIONAL_BYTES)
    throw new ConfigError(
      `TRUST_BUNDLE_FILE: ${file} has ${additional.length} bytes of certificates that are not public authorities; at most ${MAX_ADDITIONAL_BYTES} are allowed`,
    );
  return { text, tls: tlsOf(unique), additional };
}

/**
 * Trust in the certificates of a file in addition to Node's own authorities. The file is read again on use, so that a
 * changed ConfigMap takes effect without a restart. An invalid change is logged, and the last valid bundle stays.
 * @throws ConfigError if the file is invalid now
 */
export function createBundleTrust(settings: TrustSettings, { clock, log }: BundleDeps): BundleTrust {
  const { trustBundleFile: file, trustBundleReloadMs } = settings;
  if (file === '') return NO_BUNDLE;
  let loaded = load(file, read(file));
  let seen = loaded.text;
  let nextMs = clock.monotonicMs() + trustBundleReloadMs;
  function reload(): void {
    try {
      const text = read(file);
      if (text === seen) return;
      seen = text;
      loaded = load(file, text);
      log.info({ file }, 'the trust bundle has changed');
    } catch (error) {
      log.error({ err: error }, 'the trust bundle is invalid: the previous one stays in use');
    }
  }
  function current(): Loaded {
    const now = clock.monotonicMs();
    if (now >= nextMs) {
      nextMs = now + trustBundleReloadMs;
      reload();
    }
    return loaded;
  }
  return { tls: () => current().tls, additional: () => current().additional };
}
