import { rfc3339 } from '#crds/conditions.ts';

/** `1h2m3s`, without leading zero parts. */
export function formatDuration(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1000));
  const parts = [Math.floor(total / 3600), Math.floor((total % 3600) / 60), total % 60];
  const text = parts.map((part, index) => `${part}${'hms'[index] ?? ''}`);
  const first = parts.findIndex((part) => part > 0);
  return text.slice(first === -1 ? 2 : first).join('');
}

export function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

export function inSeconds(now: Date, seconds: number): string {
  return rfc3339(new Date(now.getTime() + seconds * 1000));
}
