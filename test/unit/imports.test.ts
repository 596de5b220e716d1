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

describe('the imports', () => {
  it('of a running zipper load no Kubernetes client and of the AWS SDK the S3 client alone', () => {
    const modules = [...loadedBy('zipper-image/main.ts')].filter((target) => !target.endsWith('.ts'));
    expect(modules).to.include('@aws-sdk/client-s3');
    const foreign = modules.filter((name) => /^@(kubernetes|aws-sdk|smithy)\//.test(name));
    expect(foreign).to.deep.equal(['@aws-sdk/client-s3']);
  });

  it('of a running zipper stay with its own folder, crds and runtime', () => {
    const ours = [...loadedBy('zipper-image/main.ts')].filter((target) => target.endsWith('.ts'));
    expect(ours.filter((file) => !/^(zipper-image|crds|runtime)\//.test(file))).to.deep.equal([]);
  });

  it('of an API load the dashboard, with its templates and its sign-in, only where it is switched on', () => {
    const start = loadedBy('api/main.ts', { late: false });
    expect([...start]).to.include('koa');
    expect([...start].filter((name) => /^(eta|openid-client)$|^dashboard\/pages\//.test(name))).to.deep.equal(
      [],
    );
    expect([...loadedBy('api/main.ts')]).to.include.members(['eta', 'openid-client']);
  });

  it('name no main.ts', () => {
    const files = sourceFiles(...SOURCE, 'test');
    const importers = files.filter((file) =>
      importsOf(file).some(({ target }) => /^(api|cli|controller|zipper-image)\/main\.ts$/.test(target)),
    );
    expect(importers).to.deep.equal([]);
  });

  for (const folder of [...SOURCE, 'test'])
    it(`of ${folder} run in no circle, those of types neither`, () => {
      expect(circleAmong(sourceFiles(folder))?.join(' -> ')).to.equal(undefined);
    });
});
