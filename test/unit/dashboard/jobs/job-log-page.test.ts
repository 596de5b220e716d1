import { expect } from 'chai';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import type { Visitor } from '#test/support/servers/dashboard-server.ts';
import {
  EDITOR,
  JOB_PAGE,
  type JobPageWorld,
  startJobPageWorld,
  VIEWER,
} from '#test/support/worlds/job-page.ts';

const LIVE = `/projects/${NAMESPACE}/live/jobs/${NAME}`;
const AT = '2026-05-04T12:00:00.123Z';

describe('the log on the page of a job', () => {
  let world: JobPageWorld;
  let editor: Visitor;
  let viewer: Visitor;
  before(async () => {
    world = await startJobPageWorld();
    editor = await world.visit(EDITOR);
    viewer = await world.visit(VIEWER);
    world.log(
      { level: 'info', time: AT, process: 'zipper', message: 'started' },
      {
        level: 'warn',
        time: AT,
        process: 'zipper',
        message: 'see https://x.example/y?sig=SECRET',
        fileIndex: 7,
      },
      { level: 'error', time: AT, process: 'zipper', message: 'failed <b>' },
      'Killed',
    );
  });
  after(() => world[Symbol.asyncDispose]());
  beforeEach(() => world.put(aZipJob({ status: running('p1') })));
  function logReads(): number {
    return world.server.requests.filter(({ path }) => path.endsWith('/log')).length;
  }
  async function page(query = ''): Promise<string> {
    return (await editor.get(JOB_PAGE + query)).text;
  }

  it('is read only when the user asks for it', async () => {
    const before = logReads();
    expect(await page())
      .to.contain(`<a class="button" href="${JOB_PAGE}?log=last#log" data-live-start>Show last lines</a>`)
      .and.to.contain(`data-live-later="${LIVE}/log?log=last"`);
    await editor.get(LIVE);
    expect(logReads()).to.equal(before);
  });

  it('is a table of time, level and text, with levels above info marked and secrets removed (Q-U29)', async () => {
    const text = await page('?log=last');
    expect(text)
      .to.contain(`<time datetime="${AT}" title="2026-05-04 12:00:00 UTC">12:00:00.123</time>`)
      .and.to.contain('<td class="level ">info</td> <td>started</td>')
      .and.to.contain('<td class="level warn">warn</td> <td>see https://x.example/y?[redacted]')
      .and.to.contain('<span class="quiet">fileIndex=7</span>')
      .and.to.contain('<td class="level bad">error</td> <td>failed &lt;b&gt;</td>')
      .and.to.contain('<td>Killed</td>')
      .and.to.not.contain('SECRET');
  });

  it('is raw on request (Q-U29)', async () => {
    expect(await page('?log=last')).to.contain(`href="${JOB_PAGE}?log=raw#log">Raw</a>`);
    expect(await page('?log=raw'))
      .to.contain('{&quot;level&quot;:&quot;info&quot;')
      .and.to.contain(`href="${JOB_PAGE}?log=last#log">As a table</a>`)
      .and.to.contain(`data-live="${LIVE}/log?log=raw"`)
      .and.to.not.contain('SECRET');
  });

  it('is a file on request, without secrets (Q-U29)', async () => {
    const { status, headers, text } = await editor.get(`${JOB_PAGE}/log/download`);
    expect(status).to.equal(200);
    expect(headers.get('content-disposition')).to.match(
      /^attachment; filename="zipjobs-[0-9a-f-]{36}\.log"$/,
    );
    expect(headers.get('content-type')).to.contain('text/plain');
    expect(text.split('\n')).to.have.lengthOf(5);
    expect(text).to.contain('?[redacted]').and.to.not.contain('SECRET');
  });

  it('is refreshed while the job runs, and its last refresh says that it has ended (Q-U29)', async () => {
    expect(await page('?log=last')).to.contain(`data-live="${LIVE}/log?log=last"`);
    const live = await editor.get(`${LIVE}/log?log=last`);
    expect(live.text).to.contain('started').and.to.not.contain('data-live-end').and.to.not.contain('<html');
    world.put(aZipJob({ status: finishedAs('Failed') }));
    expect((await editor.get(`${LIVE}/log?log=last`)).text).to.contain('data-live-end');
    expect(await page('?log=last')).to.not.contain('data-live=');
  });

  it('is left as it is by a refresh of the page', async () => {
    expect((await editor.get(LIVE)).text).to.match(/<section aria-labelledby="log" data-keep><\/section>/);
  });

  it('is locked, with the reason in words, for a user who may not read logs of pods', async () => {
    const reason =
      'The log of a job is that of its pod, which you are not allowed to read. Your Kubernetes account';
    const { text } = await viewer.get(JOB_PAGE);
    expect(text).to.contain('Show last lines<span class="hidden"> (locked)</span>').and.to.contain(reason);
    for (const path of [`${JOB_PAGE}?log=last`, `${LIVE}/log?log=last`])
      expect((await viewer.get(path)).text, path)
        .to.contain(reason)
        .and.to.not.contain('started')
        .and.to.not.contain(`data-live="${LIVE}/log`);
    expect((await viewer.get(`${LIVE}/log?log=last`)).text).to.contain('data-live-end');
    expect((await viewer.get(`${JOB_PAGE}/log/download`)).status).to.equal(403);
  });
});
