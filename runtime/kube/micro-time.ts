/** Kubernetes' metav1.MicroTime requires exactly six fractional digits. */
export const microTime = (date: Date): string => `${date.toISOString().slice(0, -1)}000Z`;
