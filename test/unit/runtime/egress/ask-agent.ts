import type { Agent } from 'undici';

/** The status of the response, or the error. */
export async function askAgent(agent: Agent, url: string): Promise<number | Error> {
  const { origin, pathname } = new URL(url);
  try {
    const { statusCode, body } = await agent.request({ origin, path: pathname, method: 'GET' });
    await body.dump();
    return statusCode;
  } catch (error) {
    return error instanceof Error ? error : new Error('no error was thrown');
  }
}
