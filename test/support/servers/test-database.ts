/** Databases for tests, on one PostgreSQL for all test files of a process. */
import { randomUUID } from 'node:crypto';
import { processResources } from '../process-resources.ts';
import type { PostgresProcess } from './postgres-process.ts';
import {
  createEmpty,
  openDatabase,
  type PostgresServer,
  startServer,
  withDatabase,
} from './postgres-server.ts';

/** Statistics that appear at some time would change plans. */
const SETTINGS = ['autovacuum=off'];
let shared: Promise<PostgresProcess> | undefined;
/** Migrated databases by the day of their partitions. */
const templates = new Map<string, Promise<string>>();

/** The server of this process. A test may stop it, and starts it again. */
async function sharedServer(): Promise<PostgresProcess> {
  shared ??= startServer({ settings: SETTINGS }).then((server) => {
    server.unref();
    return processResources.use(server);
  });
  const server = await shared;
  server.thaw();
  await server.start();
  return server;
}

function newName(): string {
  return `zipjobs_${randomUUID().replaceAll('-', '')}`;
}

async function createTemplate(server: PostgresProcess): Promise<string> {
  const name = newName();
  await createEmpty(server, name);
  await withDatabase(server, name).migrate();
  return name;
}

/** Its disposal drops the database and leaves the server. */
function withOwnDatabase(server: PostgresProcess, name: string): PostgresServer {
  return {
    ...withDatabase(server, name),
    [Symbol.asyncDispose]: async () => {
      const { port } = await sharedServer();
      await using administrator = await openDatabase(port, 'postgres');
      await administrator.query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** A new database with an empty schema. Its server has no other callers meanwhile, so that a test may stop it. */
export async function createEmptyDatabase(): Promise<PostgresServer> {
  const server = await sharedServer();
  const name = newName();
  await createEmpty(server, name);
  return withOwnDatabase(server, name);
}

/** The same with all migrations applied. */
export async function createDatabase(): Promise<PostgresServer> {
  const server = await sharedServer();
  const day = new Date().toISOString().slice(0, 10);
  const template = templates.get(day) ?? createTemplate(server);
  templates.set(day, template);
  const name = newName();
  await using administrator = await openDatabase(server.port, 'postgres');
  await administrator.query(`CREATE DATABASE ${name} TEMPLATE ${await template}`);
  return withOwnDatabase(server, name);
}
