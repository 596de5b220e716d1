/** Kubernetes' metav1.MicroTime requires exactly six fractional digits. */
export function microTime(date: Date): string {
  return `${date.toISOString().slice(0, -1)}000Z`;
}
