/** Follows another signal after a delay, for a request whose response is still needed. */
export function createLateSignal(
  signal: AbortSignal,
  ms: number,
): Disposable & { readonly signal: AbortSignal } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  function onAbort(): void {
    timer = setTimeout(() => late.abort(signal.reason), ms);
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
