import { expect } from 'chai';
import { createDocument } from '#api/openapi/document.ts';
import type { OpenApiDocument, Operation } from '#api/openapi/document-types.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';

function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item));
}

describe('createDocument', () => {
  const settings = {
    maxBodyBytes: 1,
    maxFiles: 1,
    maxUrlLength: 1,
    maxKeyBytes: 1,
    maxMetadataBytes: 1,
    maxHeaderBytes: 1,
    maxFileListBytesPerProject: 1,
    requestsPerMinutePerToken: 1,
    projectLimits: { ...projectClasses().of('team-a').limits, archiveBytes: 1_234_567 },
    authFailuresPerMinute: 1,
    jobMaxSeconds: 3_456,
    jobSucceededTtlSeconds: 604_800,
    jobFailedTtlSeconds: 604_800,
    jobWebhookSchedule: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    publicUrl: '',
    basePath: '',
    helpUrl: 'https://help.example.com/codes',
    historyHost: '',
  };
  it('is identical for identical settings, so replicas agree on its ETag', () => {
    const texts = [1, 2].map(() => JSON.stringify(createDocument({ settings, version: '1.2.3' })));
    expect(texts[0]).to.equal(texts[1]);
    expect(texts[0]).to.contain('"version":"1.2.3"').and.to.contain('https://help.example.com/codes#');
  });

  it('contains the limits of files, archives and running jobs', () => {
    const { paths } = createDocument({ settings, version: '1.2.3' });
    expect(paths['/v1/zips']?.post?.description)
      .to.contain('up to 1.23 MB (1,234,567 bytes)')
      .and.to.contain('up to 57 minutes (3,456 seconds)');
  });

  for (const [name, historyHost, time] of [
    ['without a history', '', 'for 7 days after it finished, unless your project sets another time'],
    ['with a history', 'postgres.example.com', 'for as long as the history of the service keeps it'],
  ] as const)
    it(`says how long jobs can be read and keys are valid ${name}`, () => {
      const document = createDocument({ settings: { ...settings, historyHost }, version: '1.2.3' });
      const [create, read] = operationsOf(document);
      const key = create?.parameters.find((parameter) => parameter.name === 'Idempotency-Key');
      expect(key?.description).to.contain(time);
      expect(read?.description).to.contain(time);
      expect(read?.description.includes('503, never 404')).to.equal(historyHost !== '');
      expect(JSON.stringify(document)).to.not.contain('postgres.example.com');
    });

  it('contains the times and attempts that the controller applies (BC25)', () => {
    function times(change: Partial<typeof settings>): readonly (string | undefined)[] {
      const document = createDocument({ settings: { ...settings, ...change }, version: '1.2.3' });
      const [, read] = operationsOf(document);
      const delivery = document.webhooks['zipEnded']?.post;
      return [
        read?.description.match(/can be read (.*), unless your project/)?.[1],
        delivery?.responses['2XX']?.description,
      ];
    }
    expect(times({})).to.deep.equal([
      'for 7 days after it finished',
      'Delivered. Any other response is retried, up to 10 attempts in about 75 hours.',
    ]);
    expect(
      times({
        jobSucceededTtlSeconds: 86_400,
        jobFailedTtlSeconds: 129_600,
        jobWebhookSchedule: [0, 60, 120],
      }),
    ).to.deep.equal([
      'for 1 day after it succeeded or 36 hours after it failed',
      'Delivered. Any other response is retried, up to 3 attempts in about 3 minutes.',
    ]);
    expect(times({ jobWebhookSchedule: [0] })[1]).to.equal('Delivered. Any other response is not retried.');
  });

  it('lists absolute URLs if the public URL is set', () => {
    const published = { ...settings, publicUrl: 'https://zips.example.com', basePath: '/archives' };
    const { servers, externalDocs } = createDocument({ settings: published, version: '1.2.3' });
    expect(servers.map(({ url }) => url)).to.deep.equal([
      'https://zips.example.com/archives/api',
      'https://zips.example.com/archives',
    ]);
    expect(externalDocs.url).to.equal('https://zips.example.com/archives/docs');
  });
});
