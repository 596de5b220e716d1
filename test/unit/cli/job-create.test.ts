import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { addJobCommands } from '#cli/job-commands.ts';
import type { ListedFile } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { aBucket, aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { runProgram } from './fake-session.ts';

const URL_A = 'https://files.example.com/a.pdf';
const UUID = '00000000-0000-4000-8000-000000000001';
const TARGET = ['--bucket', 'reports', '--key', 'may.zip', '-n', TEAM];

function cluster(spec: ZipProject['spec'] = {}) {
  const objects = createObjectsByPath();
  objects.put(COLLECTIONS.projects, aProject(TEAM, spec));
  objects.put(COLLECTIONS.buckets, aBucket(TEAM, 's3', 'reports'));
  const created: KubeRequest[] = [];
  function respond(request: KubeRequest): unknown {
    const response = objects.respond(request);
    if (request.method !== 'POST') return response;
    created.push(request);
    if (request.path === COLLECTIONS.zipJobs && isRecord(response))
      objects.put(request.path, { ...response, status: finishedAs('Succeeded') } as never);
    return response;
  }
  return {
    create: (args: readonly string[], input = '') =>
      runProgram(
        {
          groups: [addJobCommands],
          terminal: { readInput: () => Promise.resolve(input) },
          kube: {
            server: 'https://example.test',
            request: (request) => Promise.resolve().then(() => respond(request)),
            stream: () => Promise.reject(new Error('not faked')),
            [Symbol.asyncDispose]: () => Promise.resolve(),
          },
        },
        ['job', 'create', ...TARGET, ...args],
      ),
    specs: () =>
      created
        .filter(({ path }) => path === COLLECTIONS.zipJobs)
        .map(({ body }) => RESOURCES.zipJobs.decode(body).spec),
    files: () =>
      created
        .filter(({ path }) => path === COLLECTIONS.secrets)
        .flatMap(({ body }) => Object.values((body as { data: Record<string, string> }).data))
        .flatMap((chunk) => gunzipSync(Buffer.from(chunk, 'base64')).toString().trim().split('\n'))
        .map((line) => JSON.parse(line) as ListedFile),
  };
}

function namesAndUrls(files: readonly ListedFile[]) {
  return files.map(({ filename, url }) => [filename, url]);
}

describe('zipjobs job create', () => {
  it('creates a job from URLs with and without names, and says how to wait for it (Q-C1)', async () => {
    const { create, specs, files } = cluster({ jobDefaults: { compression: 'deflate' } });
    const { code, output, errors } = await create([URL_A, 'May.pdf=https://files.example.com/x?v=2']);
    expect(code, errors).to.equal(0);
    expect(output).to.match(/^Job "zip-\S+" created\. Its ID is \S+\.\n$/);
    expect(errors).to.match(/^Wait for it with: zipjobs job wait \S+ -n team-a\n$/);
    expect(specs()[0]).to.deep.include({
      bucketRef: { name: 's3-reports' },
      key: 'may.zip',
      compression: 'deflate',
      metadata: '{}',
    });
    expect(namesAndUrls(files())).to.deep.equal([
      ['a.pdf', URL_A],
      ['May.pdf', 'https://files.example.com/x?v=2'],
    ]);
  });

  it('waits for the new job with --wait (Q-C1)', async () => {
    const { code, output, errors } = await cluster().create([URL_A, '--wait']);
    expect(code, errors).to.equal(0);
    expect(output).to.match(/Phase: +Succeeded/);
    expect(errors).to.match(/^Job "zip-\S+" created\. Its ID is \S+\.\n/);
  });

  it('reads the files from a file or from standard input (Q-C1)', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'job-create-'));
    try {
      const path = join(dir, 'list.txt');
      const text = `${URL_A}\n\nhttps://files.example.com/x?v=2 May 2026.pdf\n`;
      await writeFile(path, text);
      const [fromFile, fromInput] = [cluster(), cluster()];
      expect((await fromFile.create(['--from', path])).code).to.equal(0);
      expect((await fromInput.create(['--from', '-'], text)).code).to.equal(0);
      const files = [
        ['a.pdf', URL_A],
        ['May 2026.pdf', 'https://files.example.com/x?v=2'],
      ];
      expect([fromFile.files(), fromInput.files()].map(namesAndUrls)).to.deep.equal([files, files]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it('takes every field of a file from a JSON object per line (Q-C1)', async () => {
    const { create, files } = cluster();
    const sha256 = 'a'.repeat(64);
    const lines = [
      { url: URL_A, filename: 'x.pdf', size: 7, sha256, crc32: '0123abcd', content_type: 'application/pdf' },
      { url: 'https://files.example.com/b.pdf', headers: { authorization: 'Bearer secret-value' } },
    ].map((line) => JSON.stringify(line));
    const { code, errors } = await create(['--from', '-'], [...lines, `${URL_A} plain.pdf`].join('\n'));
    expect(code, errors).to.equal(0);
    expect(files()).to.deep.equal([
      { url: URL_A, filename: 'x.pdf', size: 7, sha256, crc32: '0123abcd', contentType: 'application/pdf' },
      {
        url: 'https://files.example.com/b.pdf',
        filename: 'b.pdf',
        headers: { authorization: 'Bearer secret-value' },
      },
      { url: URL_A, filename: 'plain.pdf' },
    ]);
  });

  it('names lines whose JSON is no file, without their values (Q-C1)', async () => {
    const { create, specs } = cluster({ limits: { archiveBytes: 100 } });
    const unusable = [
      '{"url": "https://files.example.com/a", "filename"',
      '{"url": "https://files.example.com/a", "secret-name": 1}',
      '{"filename": "a"}',
      '{"url": "https://files.example.com/a", "filename": 7}',
      '{"url": "https://files.example.com/a", "headers": null}',
    ];
    const { code, errors } = await create(['--from', '-'], unusable.join('\n'));
    expect([code, specs()]).to.deep.equal([2, []]);
    expect(errors.split('\n').slice(1)).to.deep.equal([
      'Line 1 starts with { and is not a JSON object on one line',
      'Line 2 has an unknown field. The fields are url, filename, headers, size, sha256, crc32, content_type',
      'Line 3: the URL is missing or not a string',
      'Line 4: the name is not a string',
      'Line 5: the headers must be an object of strings',
      '',
    ]);
    const wrongValues = [
      { url: URL_A, size: '7' },
      { url: URL_A, filename: 'b', size: 101 },
      { url: URL_A, filename: 'c', content_type: 'secret value' },
    ].map((line) => JSON.stringify(line));
    expect((await create(['--from', '-'], wrongValues.join('\n'))).errors.split('\n').slice(1)).to.deep.equal(
      [
        'Line 1: the size must be an integer from 0 to 9007199254740991',
        'Line 2: the size is larger than the maximum file size of 100 bytes',
        'Line 3: the content_type must be a media type, such as application/pdf',
        '',
      ],
    );
  });

  it('refuses files whose stated sizes exceed the largest archive (SZ1)', async () => {
    const { create, specs } = cluster({ limits: { archiveBytes: 100 } });
    const lines = ['a', 'b'].map((filename) => JSON.stringify({ url: URL_A, filename, size: 60 }));
    const { code, errors } = await create(['--from', '-'], lines.join('\n'));
    expect([code, specs()]).to.deep.equal([2, []]);
    expect(errors).to.contain(
      'The stated sizes of these files are 120 bytes in all, but an archive of this project can have at most 100. Split the files into several archives',
    );
    const compressed = await create(['--from', '-', '--compression', 'deflate'], lines.join('\n'));
    expect(compressed.code, compressed.errors).to.equal(0);
  });

  it('takes every option of a request (Q-C1)', async () => {
    const { create, specs } = cluster({ jobDefaults: { objectOptions: { tags: { team: 'sales' } } } });
    const options = {
      compression: 'store',
      'on-source-error': 'Skip',
      'on-conflict': 'fail',
      'portable-names': 'rewrite',
      'duplicate-names': 'rename',
      manifest: 'sha256sum',
      'modification-time': '2026-01-31T13:00:00+01:00',
      metadata: '{"order": 7}',
      'content-disposition': 'attachment',
      'content-type': 'application/zip',
      'cache-control': 'no-store',
      'storage-class': 'STANDARD_IA',
      'object-metadata': 'a=1,b=2',
      tags: 'stage=live',
    };
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const { code, errors } = await create([...args, '--sha256', '--sequential', URL_A]);
    expect(code, errors).to.equal(0);
    expect(specs()[0]).to.deep.include({
      compression: 'store',
      onSourceError: 'Skip',
      onConflict: 'fail',
      portableNames: 'rewrite',
      duplicateNames: 'rename',
      manifestFormat: 'sha256sum',
      fixedModificationTime: '2026-01-31T12:00:00.000Z',
      metadata: '{"order": 7}',
      sha256: true,
      sequential: true,
      objectOptions: {
        contentDisposition: 'attachment',
        contentType: 'application/zip',
        cacheControl: 'no-store',
        storageClass: 'STANDARD_IA',
        metadata: { a: '1', b: '2' },
        tags: { team: 'sales', stage: 'live' },
      },
    });
  });

  it('creates one job for one --id, and shows it again (Q-C1)', async () => {
    const { create, specs } = cluster();
    for (const _ of [1, 2]) {
      const { code, output } = await create([URL_A, '--id', UUID]);
      expect(code).to.equal(0);
      expect(output).to.contain(UUID);
    }
    expect(specs()).to.have.length(1);
    const other = await create([URL_A, '--id', UUID, '--key', 'other.zip']);
    expect(other.code).to.equal(3);
    expect(other.errors).to.contain('already exists');
  });

  it('names the files that cannot be used by their lines (Q-C1)', async () => {
    const { create, specs } = cluster();
    const { code, errors } = await create(['--from', '-'], `${URL_A}\n\nftp://a.example/b\n${URL_A} ../c\n`);
    expect([code, specs()]).to.deep.equal([2, []]);
    expect(errors)
      .to.match(/^zipjobs: 2 of the files cannot be used\n/)
      .and.to.contain('\nLine 3: the URL must start with http://, https://, s3:// or r2://\n')
      .and.to.match(/\nLine 4: the name /);
    expect((await create(['ftp://a.example/b'])).errors).to.contain('\nFile 1: the URL must start');
  });

  const wrong: Readonly<Record<string, readonly [args: readonly string[], message: RegExp, code?: number]>> =
    {
      'no files': [[], /Enter at least one URL/],
      'URLs and a list': [[URL_A, '--from', '-'], /as arguments or with --from, not both/],
      'a time without a zone': [[URL_A, '--modification-time', '2026-01-31'], /is not an RFC 3339 time/],
      'metadata that is no object': [[URL_A, '--metadata', '[1]'], /metadata must be a JSON object/],
      'tags without a value': [[URL_A, '--tags', 'live'], /use name=value/],
      'an ID that is no UUID': [[URL_A, '--id', 'x'], /--id must be a UUID/],
      'an unknown bucket': [[URL_A, '--bucket', 'other'], /Bucket "other" \(s3\) not found/, 4],
      'an option looser than that of the project': [
        [URL_A, '--on-conflict', 'replace'],
        /onConflict cannot be "replace": the project or the bucket requires "fail"/,
      ],
      'a content type that a browser runs': [
        [URL_A, '--content-type', 'text/html'],
        /contentType of the object must/,
      ],
      'a signed URL as an argument': [
        [`${URL_A}?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20260101`],
        /contains a credential.*--from FILE/,
      ],
    };
  for (const [name, [args, message, exitCode = 2]] of Object.entries(wrong))
    it(`refuses ${name} (Q-C1)`, async () => {
      const { create, specs } = cluster({ jobDefaults: { onConflict: 'fail' } });
      const { code, errors } = await create(args);
      expect(errors).to.match(message);
      expect([code, specs()]).to.deep.equal([exitCode, []]);
    });
});
