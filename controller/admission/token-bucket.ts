/** Rate in tokens per second, and burst. */
export interface TokenRate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface Tokens {
  readonly left: number;
  readonly atMs: number;
}

const refilled = ({ left, atMs }: Tokens, { perSecond, burst }: TokenRate, nowMs: number): number =>
  Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);

/** Takes a token, or returns the time until one is available. */
export const takeToken = (
  tokens: Tokens,
  rate: TokenRate,
  nowMs: number,
): { readonly tokens: Tokens; readonly waitMs: number } => {
  const left = refilled(tokens, rate, nowMs);
  return left >= 1
    ? { tokens: { left: left - 1, atMs: nowMs }, waitMs: 0 }
    : { tokens: { left, atMs: nowMs }, waitMs: Math.ceil(((1 - left) / rate.perSecond) * 1000) };
};
