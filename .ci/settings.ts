/**
 * docs/settings.md lists every setting of every process, made from the declarations that validate them at start.
 * `node .ci/settings.ts` fails when the file differs; with `--write` it writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Setting, Settings } from '#runtime/config.ts';
import { API_SETTINGS } from '../api/config.ts';
import { CONTROLLER_SETTINGS } from '../controller/config.ts';
import { ZIPPER_SETTINGS } from '../zipper-image/config.ts';

const TARGET = 'docs/settings.md';

const PROCESSES: readonly { readonly title: string; readonly where: string; readonly settings: Settings }[] =
  [
    { title: 'api', where: '`api.settings` of the chart', settings: API_SETTINGS },
    { title: 'controller', where: '`controller.settings` of the chart', settings: CONTROLLER_SETTINGS },
    {
      title: 'zipper',
      where: '`zipper.settings` of the chart; the controller hands them to its pods',
      settings: ZIPPER_SETTINGS,
    },
  ];

const defaultOf = (setting: Setting): string => {
  if (setting.default === undefined) return 'required';
  const text = Array.isArray(setting.default) ? setting.default.join(',') : String(setting.default);
  return text === '' ? 'empty' : `\`${text}\``;
};

const boundsOf = (setting: Setting): string => {
  if (setting.enum !== undefined) return setting.enum.map((word) => `\`${word}\``).join(', ');
  const { minimum, maximum, type } = setting;
  if (minimum === undefined && maximum === undefined) return type;
  return `${type} ${minimum ?? ''}..${maximum ?? ''}`;
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const section = ({ title, where, settings }: (typeof PROCESSES)[number]): string =>
  [
    `## ${title}`,
    '',
    `Given by ${where}.`,
    '',
    '| variable | default | values | meaning |',
    '|---|---|---|---|',
    ...Object.values(settings)
      .toSorted((a, b) => a.env.localeCompare(b.env))
      .map(
        (one) =>
          `| \`${one.env}\` | ${cell(defaultOf(one))} | ${cell(boundsOf(one))} | ${cell(one.description)} |`,
      ),
    '',
  ].join('\n');

const text = [
  '# Settings',
  '',
  'Environment variables of the three processes. All of them are read once and validated at start; a bad one ends the process with a message that names every bad variable at once. Made by `npm run docs`; do not edit.',
  '',
  ...PROCESSES.map(section),
].join('\n');

if (process.argv.includes('--write')) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, 'utf8') !== text) {
  console.error(`${TARGET} is not what the code declares: run 'npm run docs'`);
  process.exitCode = 1;
}
