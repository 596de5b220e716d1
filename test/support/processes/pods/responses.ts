/**
 * A container that serves its probes (/ready, /live), its env (/env), a file (/file?path=...), and a call to
 * the API server with its token (/whoami). `/set?ready=false` and `/set?live=false` make a probe fail.
 * STUBBORN ignores SIGTERM.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Agent, request } from 'undici';

const { HOST, PORT = '8080', STUBBORN } = process.env;
const state = new Map([
  ['ready', true],
  ['live', true],
]);

async function whoAmI(): Promise<string> {
  const {
    ZIPJOBS_SERVICEACCOUNT_DIR: dir = '',
    KUBERNETES_SERVICE_HOST,
    KUBERNETES_SERVICE_PORT,
  } = process.env;
  const [ca, token] = await Promise.all(['ca.crt', 'token'].map((name) => readFile(join(dir, name), 'utf8')));
  const dispatcher = new Agent({ connect: { ca: ca ?? '' } });
  const url = `https://${KUBERNETES_SERVICE_HOST}:${KUBERNETES_SERVICE_PORT}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
  const respond = await request(url, {
    method: 'POST',
    dispatcher,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
  });
  const body = await respond.body.text();
  await dispatcher.close();
  return body;
}

async function respond(url: URL): Promise<{ readonly status: number; readonly body: string }> {
  const probe = state.get(url.pathname.slice(1));
  if (probe !== undefined) return { status: probe ? 200 : 503, body: '' };
  if (url.pathname === '/set')
    for (const [name, value] of url.searchParams) state.set(name, value === 'true');
  if (url.pathname === '/env') return { status: 200, body: JSON.stringify(process.env) };
  if (url.pathname === '/whoami') return { status: 200, body: await whoAmI() };
  if (url.pathname === '/file') {
    return { status: 200, body: await readFile(url.searchParams.get('path') ?? '', 'utf8') };
  }
  return { status: 200, body: '' };
}

const server = createServer((call, reply) => {
  void respond(new URL(call.url ?? '/', 'http://pod')).then(
    ({ status, body }) => reply.writeHead(status).end(body),
    (error: unknown) => reply.writeHead(500).end(String(error)),
  );
});
server.listen(Number(PORT), HOST);
process.on('SIGTERM', () => {
  console.log('SIGTERM');
  if (STUBBORN === undefined) process.exit(0);
});
