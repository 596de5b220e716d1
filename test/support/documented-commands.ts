import { readFile } from 'node:fs/promises';

/** The shell commands of a section of a document, in order. `heading` has its number signs, such as `## Use it`. */
export async function documentedCommands(document: string, heading: string): Promise<string> {
  const text = await readFile(document, 'utf8');
  const [level = ''] = heading.split(' ');
  const section = text.split(`\n${heading}\n`)[1]?.split(`\n${level} `)[0] ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands).join('\n');
}
