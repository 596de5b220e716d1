import { toPortableSegment } from '#runtime/entries/portable-names.ts';

/**
 * Name of the base directory of a bag: the last segment of the key without `.zip`, as every system can store it. With a dash at its start,
 * a command would take it for an option.
 */
export function bagName(key: string): string {
  const segment = key.slice(key.lastIndexOf('/') + 1).replace(/\.zip$/i, '');
  return segment === '' ? 'bag' : toPortableSegment(segment.replaceAll('\\', '_')).replace(/^-/, '_');
}
