import { expect } from 'chai';
import { circleAmong, importsOf, loadedBy, sourceFiles } from '#test/support/import-graph.ts';

const SOURCE = [
  'crds',
  'runtime',
  'administration',
  'api',
  'cli',
  'controller',
  'dashboard',
  'tools',
  'zipper-image',
] as const;

describe('imports', () => {
  it('of the zipper load no Kubernetes client, and only the S3 client of the AWS SDK', () => {
    const modules = [...loadedBy('zipper-image/main.ts')].filter((target) => !target.endsWith('.ts'));
    expect(modules).to.include('@aws-sdk/client-s3');
    const foreign = modules.filter((name) => /^@(kubernetes|aws-sdk|smithy)\//.test(name));
    expect(foreign).to.deep.equal(['@aws-sdk/client-s3']);
  });

  it('of the zipper load neither the index of undici, nor the compiler of Ajv, nor all of node:http', () => {
    const modules = [...loadedBy('zipper-image/main.ts')].filter((target) => !target.endsWith('.ts'));
    expect(modules.filter((name) => /^undici|^ajv/.test(name)).toSorted()).to.deep.equal([
      'ajv/dist/runtime/ucs2length.js',
      'undici/lib/api/api-request.js',
      'undici/lib/core/connect.js',
      'undici/lib/core/errors.js',
      'undici/lib/dispatcher/agent.js',
      'undici/lib/dispatcher/dispatcher.js',
    ]);
    expect(modules).not.to.include('node:http');
  });

  it('of the zipper load the modules for roles only on demand, and the store never does (X21)', () => {
    function isOfRoles(target: string): boolean {
      return target.startsWith('zipper-image/store/web-identity/');
    }
    expect([...loadedBy('zipper-image/main.ts')].filter(isOfRoles)).not.to.deep.equal([]);
    expect([...loadedBy('zipper-image/main.ts', { late: false })].filter(isOfRoles)).to.deep.equal([]);
    expect([...loadedBy('zipper-image/store/store.ts')].filter(isOfRoles)).to.deep.equal([]);
  });

  it('of the zipper stay within zipper-image, crds and runtime', () => {
    const ours = [...loadedBy('zipper-image/main.ts')].filter((target) => target.endsWith('.ts'));
    expect(ours.filter((file) => !/^(zipper-image|crds|runtime)\//.test(file))).to.deep.equal([]);
  });

  it('of the API load nothing of the dashboard, neither its templates nor its sign-in', () => {
    const loaded = [...loadedBy('api/main.ts')];
    expect(loaded).to.include('koa');
    const foreign = /^(eta|openid-client)$|^(administration|cli|controller|dashboard|zipper-image)\//;
    expect(loaded.filter((name) => foreign.test(name))).to.deep.equal([]);
  });

  it('of the dashboard load nothing of the API', () => {
    const loaded = [...loadedBy('dashboard/main.ts')];
    expect(loaded).to.include.members(['koa', 'eta', 'openid-client']);
    const foreign = /^(api|cli|controller|zipper-image)\//;
    expect(loaded.filter((name) => foreign.test(name))).to.deep.equal([]);
  });

  it('never refer to a main.ts', () => {
    const files = sourceFiles(...SOURCE, 'test');
    const importers = files.filter((file) =>
      importsOf(file).some(({ target }) =>
        /^(api|cli|controller|dashboard|zipper-image)\/main\.ts$/.test(target),
      ),
    );
    expect(importers).to.deep.equal([]);
  });

  for (const folder of [...SOURCE, 'test'])
    it(`of ${folder} contain no cycle, including type imports`, () => {
      expect(circleAmong(sourceFiles(folder))?.join(' -> ')).to.equal(undefined);
    });
});
