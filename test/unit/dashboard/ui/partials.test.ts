import { expect } from 'chai';
import { createRender } from '#dashboard/ui/render.ts';

const NOW = new Date('2026-03-04T12:00:00Z');
const FRAME = { now: NOW };
const EVIL = '"><img src=x>';

describe('partials', () => {
  const render = createRender();
  function partial(name: string, data: object): string {
    return render(`/ui/partials/${name}`, { frame: FRAME, ...data } as never).trim();
  }

  describe('time', () => {
    it('shows a relative time with the absolute one as tooltip', () => {
      expect(partial('time', { at: '2026-03-04T11:57:00Z', now: NOW })).to.equal(
        '<time datetime="2026-03-04T11:57:00Z" title="2026-03-04 11:57:00 UTC" data-ago>3 min ago</time>',
      );
    });

    it('takes the time of the frame unless it gets another', () => {
      expect(partial('time', { at: '2026-03-04T11:00:00Z' })).to.contain('>1 h ago<');
    });

    it('shows the absolute time on request', () => {
      expect(partial('time', { at: '2026-03-04T11:57:00Z', style: 'absolute' })).to.equal(
        '<time datetime="2026-03-04T11:57:00Z">2026-03-04 11:57:00 UTC</time>',
      );
    });

    it('shows a dash without a time', () => {
      expect([partial('time', { at: '' }), partial('time', { at: null })]).to.deep.equal(['–', '–']);
    });
  });

  describe('badge', () => {
    it('shows an icon for each state, the text and the reason', () => {
      const paths = ['good', 'bad', 'warn', 'going', 'quiet'].map((look) => {
        const html = partial('badge', { look, text: 'Failed', reason: 'SourceNotFound' });
        expect(html).to.match(
          new RegExp(`^<span class="badge ${look}"><svg .*aria-hidden="true">.* Failed</span>`, 's'),
        );
        expect(html).to.match(/ <span class="quiet">SourceNotFound<\/span>$/);
        return /<path d="([^"]+)"/.exec(html)?.[1];
      });
      expect(new Set(paths)).to.have.property('size', 5);
    });

    it('shows no reason when there is none', () => {
      expect(partial('badge', { look: 'good', text: 'Succeeded' })).to.match(/ Succeeded<\/span>$/);
    });
  });

  describe('table', () => {
    const columns = [{ label: 'Name' }, { label: 'Files', isNumber: true }];

    it('has a caption, a header for each column and row, and labels for phones', () => {
      const html = partial('table', { caption: 'Jobs', columns, rows: [['a', '3']] });
      expect(html).to.contain('<caption class="hidden">Jobs</caption>');
      expect(html).to.contain('<th scope="col">Name</th><th scope="col" class="num">Files</th>');
      expect(html).to.contain('<th scope="row">a</th>');
      expect(html).to.contain('<td data-label="Files" class="num">3</td>');
    });

    it('shows times', () => {
      const html = partial('table', {
        caption: 'Jobs',
        columns,
        rows: [['a', { at: '2026-03-04T11:57:00Z' }]],
      });
      expect(html).to.match(/<td data-label="Files" class="num"><time [^>]+>3 min ago<\/time>/);
    });

    it('links and escapes texts, and keeps what another template rendered', () => {
      const rows = [[{ text: EVIL, href: '/a?b="' }, { html: '<b>3</b>' }]];
      const html = partial('table', { caption: 'Jobs', columns, rows });
      expect(html).to.contain('<a href="/a?b=&quot;"><bdi>&quot;&gt;&lt;img src=x&gt;</bdi></a>');
      expect(html).to.contain('class="num"><b>3</b></td>');
    });
  });

  it('facts shows values, links and times', () => {
    const facts = [
      { name: 'Service', value: EVIL },
      { name: 'Job', value: 'a', href: '/a' },
      { name: 'Created', at: '2026-03-04T11:57:00Z' },
    ];
    const html = partial('facts', { facts });
    expect(html).to.contain('<bdi>&quot;&gt;&lt;img src=x&gt;</bdi>').and.contain('<a href="/a">a</a>');
    expect(html).to.match(/<dt>Created<\/dt><dd><time [^>]+>3 min ago<\/time>/);
  });

  it('empty shows what to do next', () => {
    const action = { label: 'Add bucket', href: '/new' };
    const html = partial('empty', { title: 'No buckets yet', text: 'Add one.', action });
    expect(html).to.contain('<strong>No buckets yet</strong>').and.contain('<p>Add one.</p>');
    expect(html).to.contain('<a class="button" href="/new">Add bucket</a>');
    expect(partial('empty', { title: 'Nothing' })).to.not.match(/button|<p><\/p>/);
  });

  it('copy has a button that only JavaScript shows', () => {
    const html = partial('copy', { id: 'job-id', value: EVIL, label: 'job ID' });
    expect(html).to.contain('<code id="job-id">&quot;&gt;&lt;img src=x&gt;</code>');
    expect(html).to.contain('data-copy="job-id" hidden>Copy<span class="hidden"> job ID</span>');
  });

  it('locked opens what is missing, also by keyboard and touch and without JavaScript', () => {
    const html = partial('locked', { label: 'Cancel job', needs: 'Needs edit.' });
    expect(html).to.contain(' Cancel job<span class="hidden"> (locked)</span></button>');
    expect(html).to.contain('popovertarget="locked-cancel-job" aria-describedby="locked-cancel-job"');
    expect(html).to.contain('<span popover class="why" id="locked-cancel-job">Needs edit.</span>');
    expect(html).to.not.match(/ title=|disabled/);
    const ofRow = partial('locked', { label: 'Revoke', needs: 'Needs admin.', of: 'nightly' });
    expect(ofRow)
      .to.contain('id="locked-revoke-nightly"')
      .and.contain('Revoke<span class="hidden"> nightly (locked)</span>');
  });

  it('action is locked when there is a reason against it', () => {
    const action = { name: 'add', label: 'Add bucket', href: '/new' };
    expect(partial('action', { ...action, reason: 'No.' }))
      .to.contain('id="locked-add-bucket">No.<')
      .and.not.contain('/new');
    expect(partial('action', { ...action, reason: '' })).to.contain('<a class="button " href="/new">');
    expect(partial('action', { ...action, reason: '', csrf: 'c' })).to.contain('<form method="post"');
  });
});
