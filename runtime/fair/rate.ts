/** A rate by the generic cell rate algorithm. Its whole state is one number: when everything so far is due. */
export interface Rate {
  /** Undefined, or in the past, if nothing is waiting. */
  readonly dueMs: number | undefined;
  readonly nowMs: number;
  /** What the rate allows in this time may come at once. */
  readonly burstMs: number;
}

/** The state after something that takes `costMs` at the rate, and how long that has to wait. */
export function after(
  { dueMs, nowMs, burstMs }: Rate,
  costMs: number,
): { readonly dueMs: number; readonly delayMs: number } {
  const nextMs = Math.max(nowMs, dueMs ?? nowMs) + costMs;
  return { dueMs: nextMs, delayMs: Math.max(0, nextMs - burstMs - nowMs) };
}
