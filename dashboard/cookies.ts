export interface CookieOptions {
  readonly sameSite: 'Strict' | 'Lax';
  /** Without it the cookie goes when the browser ends. */
  readonly maxAgeSeconds?: number;
}

/** Reads and writes the dashboard's cookies; scripts see none of them. */
export interface Cookies {
  read(header: string | undefined, name: string): string | undefined;
  /** The text of a Set-Cookie header; an empty value takes the cookie back. */
  write(name: string, value: string, options: CookieOptions): string;
}

/**
 * With the prefix `__Host-` a browser takes the cookie by HTTPS only, from this very host, so that no neighbour under the
 * same domain can plant one.
 */
export const createCookies = ({ isSecure }: { readonly isSecure: boolean }): Cookies => {
  const prefix = isSecure ? '__Host-zipjobs-' : 'zipjobs-';
  return {
    read: (header = '', name) => {
      const start = `${prefix}${name}=`;
      const found = header
        .split(';')
        .map((part) => part.trim())
        .filter((part) => part.startsWith(start));
      // Two of one name were not both written by us.
      return found.length === 1 ? found[0]?.slice(start.length) : undefined;
    },
    write: (name, value, { sameSite, maxAgeSeconds }) => {
      const age = value === '' ? 0 : maxAgeSeconds;
      return [
        `${prefix}${name}=${value}`,
        'Path=/',
        'HttpOnly',
        `SameSite=${sameSite}`,
        ...(isSecure ? ['Secure'] : []),
        ...(age === undefined ? [] : [`Max-Age=${age}`]),
      ].join('; ');
    },
  };
};
