import { expect } from 'chai';
import { lastLines, linesWithin, warningsWithin } from '#test/support/failed-tests/log-lines.ts';

const at = (second: number, fields: object = {}): string =>
  JSON.stringify({ level: 'info', time: `2026-05-04T12:00:${second}.000Z`, process: 'api', ...fields });

const time = (second: number): number => Date.parse(`2026-05-04T12:00:${second}Z`);
const window = { fileFrom: time(10), from: time(20), to: time(30) };

describe('linesWithin', () => {
  it('keeps the lines from the time of the test', () => {
    const text = [at(19), at(20), at(30), at(31)].join('\n');
    expect(linesWithin(text, window)).to.deep.equal([at(20), at(30)]);
  });

  it('keeps a line without a time together with the line before it', () => {
    const text = ['at the start', at(19), '  stack of 19', at(25), '  stack of 25', '{"half": '].join('\n');
    expect(linesWithin(text, window)).to.deep.equal(['at the start', at(25), '  stack of 25', '{"half": ']);
  });
});

describe('lastLines', () => {
  it('returns the last lines that name the job and the last warnings', () => {
    const lines = [
      at(20, { message: 'moved', zipJob: 'team-a/zip-1' }),
      at(21, { message: 'moved', zipJob: 'team-b/zip-2' }),
      at(22, { level: 'error', message: 'lost the lease' }),
    ];
    expect(lastLines(lines, ['zip-1'], 5)).to.deep.equal([
      '12:00:20.000 info moved {"zipJob":"team-a/zip-1"}',
      '12:00:22.000 error lost the lease',
    ]);
    expect(lastLines(lines, ['zip-1'], 1)).to.deep.equal(['12:00:22.000 error lost the lease']);
  });

  it('returns the last lines if none matches', () => {
    expect(lastLines([at(20), 'Killed'], ['zip-1'], 1)).to.deep.equal(['Killed']);
    expect(lastLines([at(20)], [], 0)).to.deep.equal([]);
  });

  it('combines similar requests and shows their count', () => {
    const get = (second: number, status: number): string =>
      at(second, { message: 'request', method: 'GET', path: '/v1/zips/1', status });
    const lines = [get(20, 200), get(21, 200), get(22, 200), get(23, 503)];
    expect(lastLines(lines, ['/v1/zips/1'], 5)).to.deep.equal([
      '12:00:22.000 info request (3 times, the last:) {"method":"GET","path":"/v1/zips/1","status":200}',
      '12:00:23.000 info request {"method":"GET","path":"/v1/zips/1","status":503}',
    ]);
  });
});

describe('warningsWithin', () => {
  it('returns the warnings and errors of a Kubernetes server during the test', () => {
    const from = new Date(2026, 4, 4, 12, 0, 20).getTime();
    const line = (level: string, second: number) => `${level}0504 12:00:${second}.123456    1 a.go:1] text`;
    const lines = [line('W', 10), line('I', 21), line('E', 22), 'W is for warning', line('W', 50)];
    const during = { fileFrom: from, from, to: from + 10_000 };
    expect(warningsWithin(lines.join('\n'), during)).to.deep.equal([line('E', 22)]);
  });
});
