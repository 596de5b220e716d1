import type { Shot } from './shot.ts';
import { type Format, fileOf } from './take-shots.ts';

type Pictured = Pick<Shot, 'name' | 'title'>;

function picture(shot: Pictured, device: 'desktop' | 'phone', format: Format): string {
  function source(colorScheme: 'light' | 'dark'): string {
    return fileOf(shot, { device, colorScheme }, format);
  }
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${source('dark')}"><img src="${source('light')}" alt="${shot.title}, on a ${device}" width="${device === 'desktop' ? 560 : 188}"></picture>`;
}

/** A Markdown page with every screenshot, in the reader's colour scheme. */
export function galleryOf(shots: readonly Pictured[], format: Format): string {
  return [
    '# The dashboard in pictures',
    '',
    '`npm run screenshots` takes these: most on the local cluster with the real controller, others with an API server in memory, and those of the history with PostgreSQL. They follow your colour scheme; this folder contains both.',
    '',
    ...shots.flatMap((shot) => [
      `## ${shot.title}`,
      '',
      `${picture(shot, 'desktop', format)} ${picture(shot, 'phone', format)}`,
      '',
    ]),
  ].join('\n');
}
