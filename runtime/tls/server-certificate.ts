import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { Gauge, type Registry } from 'prom-client';
import { ConfigError, toError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import type { ServerTlsSettings } from './settings.ts';

/** A certificate with its intermediates, and its private key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A server that can replace its certificate: new connections get the new one, open ones keep theirs. */
interface TlsServer {
  setSecureContext(pair: KeyPair): void;
}

/** The certificate of this process, which follows changes of its files. */
export interface ServerCertificate extends Disposable {
  /** The pair that is valid now. */
  current(): KeyPair;
  /** The end of its validity. */
  validTo(): Date;
  /** Gives every later pair to this server. */
  follow(server: TlsServer): void;
}

/**
 * The kubelet replaces the link `..data`, so both files are read from the directory that it leads to now: otherwise one could be
 * of the old version and the other of the new one.
 */
function read(dir: string): KeyPair {
  const current = dirname(realpathSync(join(dir, 'tls.crt')));
  return {
    cert: readFileSync(join(current, 'tls.crt'), 'utf8'),
    key: readFileSync(join(current, 'tls.key'), 'utf8'),
  };
}

/** @throws if a server cannot use the pair. Returns the end of its validity. */
function check({ cert, key }: KeyPair): Date {
  const certificate = new X509Certificate(cert);
  if (!certificate.checkPrivateKey(createPrivateKey(key)))
    throw new Error('the private key in tls.key is not that of the certificate in tls.crt');
  // Also reads the intermediates.
  createSecureContext({ cert, key });
  return certificate.validToDate;
}

function textOf({ cert, key }: KeyPair): string {
  return `${cert}\n${key}`;
}

/**
 * Reads the files `tls.crt` and `tls.key` of TLS_DIR, and reads them again at intervals. An invalid pair is logged once, and the
 * last valid one stays in use. Undefined without TLS_DIR.
 * @throws ConfigError if the pair is invalid now
 */
export function openServerCertificate(
  { tlsDir: dir, tlsReloadMs }: ServerTlsSettings,
  log: Logger,
): ServerCertificate | undefined {
  if (dir === '') return undefined;
  let pair: KeyPair;
  let validTo: Date;
  try {
    pair = read(dir);
    validTo = check(pair);
  } catch (error) {
    throw new ConfigError(
      `TLS_DIR: ${dir} has no valid pair of tls.crt and tls.key: ${toError(error).message}`,
      error,
    );
  }
  const servers: TlsServer[] = [];
  /** What was logged last: the text of an invalid pair, or the error of a read. */
  let complaint: string | undefined;
  function reload(): void {
    let text: string | undefined;
    try {
      const next = read(dir);
      text = textOf(next);
      if (text === textOf(pair)) complaint = undefined;
      if (text === textOf(pair) || text === complaint) return;
      validTo = check(next);
      for (const server of servers) server.setSecureContext(next);
      pair = next;
      complaint = undefined;
      log.info({ dir, validTo }, 'the TLS certificate has changed');
    } catch (error) {
      const reason = text ?? toError(error).message;
      if (reason === complaint) return;
      complaint = reason;
      log.error({ err: error, dir }, 'the TLS certificate is invalid: the previous one stays in use');
    }
  }
  const timer = setInterval(reload, tlsReloadMs).unref();
  return {
    current: () => pair,
    validTo: () => validTo,
    follow: (server) => void servers.push(server),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Exports the end of the validity at each scrape. Without a certificate, the metric has no value. */
export function exportCertificateExpiry(
  registry: Registry,
  certificate: Pick<ServerCertificate, 'validTo'> | undefined,
): void {
  new Gauge({
    name: 'zip_tls_certificate_expiry_timestamp_seconds',
    help: 'Unix time at which the TLS certificate of this process expires; no value without one',
    registers: [registry],
    collect() {
      if (certificate) this.set(certificate.validTo().getTime() / 1000);
      else this.remove();
    },
  });
}
