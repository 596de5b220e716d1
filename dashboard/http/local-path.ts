const BASE = 'http://dashboard.invalid';
/** Every page of ours starts with a letter. A backslash counts as a slash in browsers. */
const LOCAL = /^\/(?:[a-z][\x21-\x5b\x5d-\x7e]*)?$/;

/**
 * A path of the dashboard with its query; `/` for anything that could lead to another site. The result is checked as well,
 * because removing dot segments can leave a path that starts with `//`, which is the address of another site.
 */
export function localPath(text: string | null | undefined): string {
  if (text === null || text === undefined || !LOCAL.test(text)) return '/';
  const url = URL.parse(text, BASE);
  if (url?.origin !== BASE) return '/';
  const path = `${url.pathname}${url.search}`;
  return LOCAL.test(path) ? path : '/';
}
