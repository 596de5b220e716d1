import { readFile } from 'node:fs/promises';

/**
 * The arguments of the only kubectl command in a document that starts with these words, without its comment.
 * @throws Error if there is no such command, or more than one
 */
export async function documentedKubectl(path: string, start: string): Promise<readonly string[]> {
  const lines = (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith(`kubectl ${start} `));
  const [command] = lines;
  if (command === undefined || lines.length > 1)
    throw new Error(`${path} has ${lines.length} commands that start with kubectl ${start}`);
  return command
    .replace(/ +#.*$/, '')
    .split(' ')
    .slice(1);
}
