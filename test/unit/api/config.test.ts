import { expect } from 'chai';
import { API_SETTINGS, readApiConfig } from '#api/config.ts';

describe('readApiConfig', () => {
  it('has a default for every setting', () => {
    expect(readApiConfig({})).to.include({
      port: 8_080,
      maxBodyBytes: 33_554_432,
      maxFiles: 10_000,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
    });
  });

  it('limits headers to ten seconds and requests to thirty, checked twice a second (T14)', () => {
    expect(readApiConfig({})).to.include({
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
      timeoutCheckMs: 500,
      keepAliveTimeoutMs: 75_000,
      maxRequestsPerSocket: 1_000,
    });
  });

  it('stops within ten seconds by default (T26)', () => {
    const { shutdownPauseMs, shutdownDrainMs } = readApiConfig({});
    expect(shutdownPauseMs + shutdownDrainMs).to.be.below(9_000);
  });

  it('uses every variable name once', () => {
    const names = Object.values(API_SETTINGS).map(({ env }) => env);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('reports all invalid variables at once', () => {
    expect(() => readApiConfig({ MAX_BODY_BYTES: '5', LOG_LEVEL: 'loud' })).to.throw(
      /LOG_LEVEL[^]*MAX_BODY_BYTES/,
    );
  });
});
