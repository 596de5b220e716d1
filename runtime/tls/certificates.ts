import { X509Certificate } from 'node:crypto';
import { ConfigError } from '../errors.ts';

export interface Certificate {
  readonly pem: string;
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';
const ANY_BEGIN = '-----BEGIN ';

function parse(pem: string, which: string): Certificate {
  try {
    return { pem, fingerprint: new X509Certificate(pem).fingerprint256 };
  } catch (error) {
    throw new ConfigError(`${which} is not a valid certificate in PEM form`, error);
  }
}

/**
 * The certificates of a PEM bundle. Text between them is a comment. `origin` is the file or field with the text.
 * @throws ConfigError with the origin and the number of the invalid certificate
 */
export function parseCertificates(text: string, origin: string): readonly Certificate[] {
  const found: Certificate[] = [];
  for (let at = text.indexOf(ANY_BEGIN); at !== -1; at = text.indexOf(ANY_BEGIN, at)) {
    const which = `${origin}: certificate ${found.length + 1}`;
    // Such as a private key, which must not be copied to other places.
    if (!text.startsWith(BEGIN, at))
      throw new ConfigError(`${origin}: PEM block ${found.length + 1} is not a certificate`);
    const end = text.indexOf(END, at);
    const next = text.indexOf(ANY_BEGIN, at + 1);
    // Node would read the first valid certificate in it.
    if (end === -1 || (next !== -1 && next < end)) throw new ConfigError(`${which} has no line ${END}`);
    found.push(parse(`${text.slice(at, end)}${END}\n`, which));
    at = end + END.length;
  }
  if (found.length === 0) throw new ConfigError(`${origin} contains no certificate in PEM form`);
  return found;
}
