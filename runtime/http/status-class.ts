/** `2xx` to `5xx`: the values of labels for HTTP status codes. */
export function statusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`;
}
