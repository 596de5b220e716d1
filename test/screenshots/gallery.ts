import type { Shot } from './shots.ts';
import { type Format, fileOf } from './take-shots.ts';

const picture = (shot: Shot, device: 'desktop' | 'phone', format: Format): string => {
  const source = (colorScheme: 'light' | 'dark'): string => fileOf(shot, { device, colorScheme }, format);
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${source('dark')}"><img src="${source('light')}" alt="${shot.title}, on a ${device}" width="${device === 'desktop' ? 560 : 188}"></picture>`;
};

/** A page that shows every picture in the colours of whoever reads it. */
export const galleryOf = (shots: readonly Shot[], format: Format): string =>
  [
    '# The dashboard in pictures',
    '',
    'Made by `npm run screenshots` on the local cluster, with the real controller. Each page in the colours that you read this in; both are in this folder.',
    '',
    ...shots.flatMap((shot) => [
      `## ${shot.title}`,
      '',
      `${picture(shot, 'desktop', format)} ${picture(shot, 'phone', format)}`,
      '',
    ]),
  ].join('\n');
