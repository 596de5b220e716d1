const AMZ_DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Parses a time such as `20261121T093000Z`. */
function signingTime(text: string): number {
  const [, year, month, day, hour, minute, second] = AMZ_DATE.exec(text) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function seconds(text: string | null): number {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) * 1000 : Number.NaN;
}

/** SigV4 of S3-compatible stores, and V4 of Google Cloud Storage: signing time plus validity. */
function relativeExpiry(query: URLSearchParams, prefix: 'X-Amz' | 'X-Goog'): number {
  return signingTime(query.get(`${prefix}-Date`) ?? '') + seconds(query.get(`${prefix}-Expires`));
}

/** Expiry of the signature in a URL, in milliseconds of Unix time; undefined if the URL contains none. Pure. */
export function presignedExpiry(url: URL): number | undefined {
  const query = url.searchParams;
  const candidates = [
    relativeExpiry(query, 'X-Amz'),
    relativeExpiry(query, 'X-Goog'),
    // SigV2 of S3 and Google Cloud Storage, and CloudFront.
    query.has('Signature') ? seconds(query.get('Expires')) : Number.NaN,
    // Azure's shared access signature.
    query.has('sig') ? Date.parse(query.get('se') ?? '') : Number.NaN,
  ];
  return candidates.find((time) => !Number.isNaN(time));
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `3 h 12 min`: the two largest relevant units. */
export function formatAge(ms: number): string {
  const first = UNITS.findIndex(([, size]) => ms >= size);
  if (first === -1) return 'less than 1 s';
  let rest = ms;
  const parts = UNITS.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? `${count} ${unit}` : '';
  });
  return parts.filter((part) => part !== '').join(' ');
}
