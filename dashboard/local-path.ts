const BASE = 'http://dashboard.invalid';

/** A path of the dashboard with its query; `/` for anything that could lead to another site. */
export const localPath = (text: string | null | undefined): string => {
  if (text === null || text === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return '/';
  const url = URL.parse(text, BASE);
  return url?.origin === BASE ? `${url.pathname}${url.search}` : '/';
};
