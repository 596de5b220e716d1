import { expect } from 'chai';
import type { Settings } from '#runtime/config/config.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import { ConfigError } from '#runtime/errors.ts';

const SETTINGS = {
  port: { env: 'PORT', type: 'integer', minimum: 0, maximum: 65535, default: 8080, description: 'port' },
  url: { env: 'URL', type: 'string', description: 'where to go' },
  secret: {
    env: 'SECRET',
    type: 'string',
    minLength: 8,
    secret: true,
    default: 'long enough',
    description: 'key',
  },
  tls: { env: 'TLS', type: 'boolean', default: true, description: 'whether to encrypt' },
  hosts: { env: 'HOSTS', type: 'array', default: [], description: 'allowed hosts' },
  level: { env: 'LEVEL', type: 'string', enum: ['low', 'high'], default: 'low', description: 'level' },
} as const satisfies Settings;

function problemsOf(env: Record<string, string>): string {
  try {
    readConfig(SETTINGS, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('readConfig', () => {
  it('reads variables and uses defaults for the others', () => {
    expect(readConfig(SETTINGS, { URL: 'x', TLS: 'false', HOSTS: 'a, b:1', PORT: '0' })).to.deep.equal({
      port: 0,
      url: 'x',
      secret: 'long enough',
      tls: false,
      hosts: ['a', 'b:1'],
      level: 'low',
    });
  });

  it('treats an empty variable as not set', () => {
    expect(readConfig(SETTINGS, { URL: 'x', PORT: '' }).port).to.equal(8080);
  });

  it('reports all invalid variables at once', () => {
    const message = problemsOf({ PORT: '70000', TLS: 'yes', LEVEL: 'mid', HOSTS: 'a,,b' });
    for (const name of ['PORT', 'URL is not set', 'TLS', 'LEVEL', 'HOSTS']) expect(message).to.contain(name);
  });

  it('refuses a fraction for an integer', () => {
    expect(problemsOf({ URL: 'x', PORT: '1.5' })).to.contain('PORT: 1.5 must be integer');
  });

  it('omits an invalid secret from its message', () => {
    const message = problemsOf({ URL: 'x', SECRET: 'canary' });
    expect(message).to.contain('SECRET').and.not.to.contain('canary');
  });

  it('returns a frozen object', () => {
    expect(Object.isFrozen(readConfig(SETTINGS, { URL: 'x' }))).to.equal(true);
  });
});
