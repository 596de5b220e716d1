/** Follows another signal after a delay, for a request whose response is still needed. `ms`: also by its state when the other one aborts. */
export function createLateSignal(
  signal: AbortSignal,
  ms: number | (() => number),
): Disposable & { readonly signal: AbortSignal } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  function onAbort(): void {
    timer = setTimeout(() => late.abort(signal.reason), typeof ms === 'number' ? ms : ms());
  }
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: late.signal,
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}
