/** The script of every page, with only the parts of a document that it uses. Browsers run it in test/long/. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';

const SCRIPT = readFileSync('dashboard/assets/scripts/frame.js', 'utf8');

type Listener = (event: object) => unknown;

interface PageOptions {
  /** Absent on a page over plain HTTP. */
  readonly clipboard?: { readonly writeText: (text: string) => Promise<void> };
  /** Whether the browser copies the selection. */
  readonly copiesSelection?: boolean;
  readonly elements?: Readonly<Record<string, object>>;
}

function runScript({ clipboard, copiesSelection = false, elements = {} }: PageOptions) {
  const listeners = new Map<string, Listener>();
  const selected: unknown[] = [];
  const opened: string[] = [];
  const timers: (() => void)[] = [];
  const document = {
    documentElement: { dataset: { now: '2026-01-01T00:00:00Z', times: 'utc' } },
    querySelectorAll: () => [],
    querySelector: () => null,
    getElementById: (id: string) => elements[id] ?? null,
    addEventListener: (type: string, listener: Listener) => listeners.set(type, listener),
    execCommand: (command: string) => command === 'copy' && copiesSelection,
  };
  const selection = {
    selectAllChildren: (element: unknown) => selected.push(element),
    removeAllRanges: () => selected.splice(0),
  };
  runInNewContext(SCRIPT, {
    document,
    navigator: clipboard === undefined ? {} : { clipboard },
    getSelection: () => selection,
    location: { assign: (href: string) => opened.push(href) },
    setInterval: () => 0,
    setTimeout: (run: () => void) => timers.push(run),
    MutationObserver: class {
      observe(): void {}
    },
  });
  return { listeners, selected, opened, timers };
}

describe('copy buttons of the dashboard', () => {
  async function press(options: Omit<PageOptions, 'elements'>) {
    const code = { textContent: 'zpj_secret' };
    const button = {
      childNodes: ['Copy'],
      dataset: { copy: 'token' },
      replaceChildren(...nodes: readonly string[]) {
        this.childNodes = [...nodes];
      },
    };
    const said = { textContent: '' };
    const page = runScript({ ...options, elements: { token: code, said } });
    await page.listeners.get('click')?.({ target: { closest: () => button } });
    const text = button.childNodes.join('');
    expect(said.textContent).to.equal(text);
    page.timers.splice(0).forEach((run) => run());
    expect([button.childNodes, said.textContent]).to.deep.equal([['Copy'], '']);
    return { text, isSelected: page.selected.includes(code) };
  }
  const refused = { writeText: () => Promise.reject(new Error('Write permission denied.')) };

  it('copy to the clipboard, say so, and get their label back (Q-U27)', async () => {
    const written: string[] = [];
    const clipboard = { writeText: async (text: string) => void written.push(text) };
    expect(await press({ clipboard })).to.deep.equal({ text: 'Copied', isSelected: false });
    expect(written).to.deep.equal(['zpj_secret']);
  });

  for (const [what, options] of [
    ['over plain HTTP, where browsers have no clipboard', {}],
    ['when the browser refuses the clipboard', { clipboard: refused }],
  ] as const) {
    it(`copy the selected text ${what} (UI18)`, async () => {
      const state = await press({ ...options, copiesSelection: true });
      expect(state).to.deep.equal({ text: 'Copied', isSelected: false });
    });

    it(`select the text and say so if nothing can be copied ${what} (UI18)`, async () => {
      const state = await press(options);
      expect(state).to.deep.equal({
        text: 'Not copied. The text is selected: press Ctrl+C or ⌘C',
        isSelected: true,
      });
    });
  }
});

describe('the project menu of the dashboard', () => {
  function submit(more: number, names: readonly string[]) {
    const links = names.map((name) => ({ href: `/projects/${name}` }));
    const items = links.map((link) => ({ hidden: false, querySelector: () => link }));
    const forms = new Map<string, Listener>();
    const form = { addEventListener: (type: string, listener: Listener) => forms.set(type, listener) };
    const input = { form, addEventListener: () => undefined };
    const switcher = {
      dataset: more > 0 ? { more: String(more) } : {},
      querySelectorAll: () => items,
      querySelector: (selector: string) => (selector === 'input' ? input : { dataset: {} }),
      addEventListener: () => undefined,
    };
    const { opened } = runScript({ elements: { switcher } });
    let isSearched = true;
    forms.get('submit')?.({ preventDefault: () => (isSearched = false) });
    return { opened, isSearched };
  }

  it('opens the only project that matches with Enter', () => {
    expect(submit(0, ['a-07-prod'])).to.deep.equal({ opened: ['/projects/a-07-prod'], isSearched: false });
    expect(submit(0, ['a-07-prod', 'b-prod'])).to.deep.equal({ opened: [], isSearched: true });
  });

  it('searches the list of projects if others, which the menu lacks, may match too (UI24)', () => {
    expect(submit(1, ['a-07-prod'])).to.deep.equal({ opened: [], isSearched: true });
  });
});
