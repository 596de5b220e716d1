import { errorCode } from '#runtime/errors.ts';
import { LEFT, type Terminal } from './terminal.ts';

/** Prints a part of an output that has no end of its own. False if its reader has left, as `| head` does. */
export async function printLive(terminal: Terminal, text: string): Promise<boolean> {
  try {
    await terminal.print(text, true);
    return true;
  } catch (error) {
    if (LEFT.includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}
