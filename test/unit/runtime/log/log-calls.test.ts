import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type CallExpression, parseSync, Visitor } from 'oxc-parser';
import { createLogger } from '#runtime/log/log.ts';
import { duplicateKeys } from '#test/support/duplicate-keys.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const SOURCES = '{api,controller,dashboard,zipper-image,runtime}/**/*.ts';
/** Users run them, and read what they print. */
const PROGRAMS = /\/samples\/|^api\/programs\/release-check\//;
const METHODS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
const LOGGERS = ['log', 'logger'];

interface LogCall {
  readonly place: string;
  readonly method: (typeof METHODS)[number];
  readonly keys: readonly string[];
}

/** `log.info(…)`, `options.log.warn(…)`, `this.#deps.log?.error(…)` and `createLogger(…).fatal(…)`. */
function methodOf({ callee }: CallExpression): LogCall['method'] | undefined {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined;
  const { object, property } = callee;
  const named = object.type === 'MemberExpression' ? object.property : object;
  const isLogger =
    (named.type === 'Identifier' && LOGGERS.includes(named.name)) ||
    (object.type === 'CallExpression' &&
      object.callee.type === 'Identifier' &&
      object.callee.name === 'createLogger');
  return isLogger ? METHODS.find((method) => method === property.name) : undefined;
}

function callsOf(file: string): readonly LogCall[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const calls: LogCall[] = [];
  new Visitor({
    CallExpression: (call) => {
      const method = methodOf(call);
      if (method === undefined) return;
      const [fields] = call.arguments;
      const properties = fields?.type === 'ObjectExpression' ? fields.properties : [];
      const keys = properties.flatMap((property) =>
        property.type === 'Property' && property.key.type === 'Identifier' ? [property.key.name] : [],
      );
      calls.push({ place: `${file}:${text.slice(0, call.start).split('\n').length}`, method, keys });
    },
  }).visit(parseSync(file, text).program);
  return calls;
}

describe('the log calls of every process', () => {
  const files = globSync(SOURCES, { cwd: ROOT });

  it('name no field like one that every line has, and none twice (Q-C16)', () => {
    const calls = files.flatMap(callsOf);
    expect(calls.length).to.be.greaterThan(100);
    for (const name of ['api', 'controller', 'dashboard', 'zipper']) {
      const lines: string[] = [];
      const destination = { write: (line: string) => lines.push(line) };
      const log = createLogger(name, { level: 'trace', destination });
      for (const { place, method, keys } of calls) {
        log[method](Object.fromEntries(keys.map((key) => [key, place])), 'text');
        const line = lines.splice(0).join('');
        expect(duplicateKeys(line), line).to.deep.equal([]);
        const { level, message, process, ...fields } = JSON.parse(line) as Record<string, unknown>;
        expect([level, message, process]).to.deep.equal([method, 'text', name]);
        expect(Object.keys(fields), place).to.include.members(keys);
      }
    }
  });

  it('are the only source of lines: nothing else creates a logger or prints (Q-C16)', () => {
    const others = files.filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      return (
        !file.startsWith('runtime/log/') &&
        !PROGRAMS.test(file) &&
        (/\bfrom 'pino'|\bconsole\.(?:log|error|warn|info|debug)\(/.test(text) ||
          /\bstd(?:out|err)\.write\(/.test(text))
      );
    });
    expect(others).to.deep.equal([]);
  });
});
