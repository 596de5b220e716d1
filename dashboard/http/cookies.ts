export interface CookieOptions {
  readonly sameSite: 'Strict' | 'Lax';
  /** Without it the cookie ends with the browser session. */
  readonly maxAgeSeconds?: number;
}

/** Reads and writes the dashboard's cookies, all of them HttpOnly. */
export interface Cookies {
  read(header: string | undefined, name: string): string | undefined;
  /** The value of a Set-Cookie header; an empty value deletes the cookie. */
  write(name: string, value: string, options: CookieOptions): string;
}

/**
 * With the prefix `__Host-` a browser accepts the cookie only over HTTPS and from this host, so a sibling domain cannot set
 * it.
 */
export function createCookies({ isSecure }: { readonly isSecure: boolean }): Cookies {
  const prefix = isSecure ? '__Host-zipjobs-' : 'zipjobs-';
  return {
    read: (header = '', name) => {
      const start = `${prefix}${name}=`;
      const found = header
        .split(';')
        .map((part) => part.trim())
        .filter((part) => part.startsWith(start));
      // Of two cookies with the same name, one is not ours.
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
}
