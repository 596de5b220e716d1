import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createAssets } from '#dashboard/ui/assets.ts';
import { startDashboardServer } from '#test/support/servers/dashboard-server.ts';

const ROOT = 'dashboard';
const STYLE = join(ROOT, 'assets/style');
/** Page, style and scripts must load quickly over a slow VPN; none of it is compressed by the dashboard. */
const MOST_BYTES = 64 * 1024;

async function textsOf(ending: RegExp): Promise<string> {
  const files = (await readdir(ROOT, { recursive: true })).filter((file) => ending.test(file));
  return (await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')))).join('\n');
}

describe('the style sheet', () => {
  let parts: ReadonlyMap<string, string>;
  before(async () => {
    const files = await readdir(STYLE);
    parts = new Map(
      await Promise.all(
        files.map(async (file) => [file, await readFile(join(STYLE, file), 'utf8')] as const),
      ),
    );
  });

  it('contains every file of its folder, and with the scripts is small', async () => {
    await using server = await startDashboardServer();
    const visitor = server.visit();
    const { paths } = createAssets();
    const served = [paths.style, ...paths.scripts.map(({ path }) => path)];
    const assets = await Promise.all(served.map(async (path) => (await visitor.get(path)).text));
    const [style = '', ...scripts] = assets;
    expect(scripts).to.have.lengthOf((await readdir(join(ROOT, 'assets/scripts'))).length);
    expect(style).to.not.match(/\/\*|\n|  /);
    function rulesIn(text: string): string {
      return text
        .replaceAll(/\/\*.*?\*\//gs, '')
        .replaceAll(/\s/g, '')
        .replaceAll(';}', '}');
    }
    const css = style.replace(/'\/assets\/[0-9a-f]{16}\/inter-latin\.woff2'/, "'inter-latin.woff2'");
    for (const [file, text] of parts) expect(rulesIn(css).includes(rulesIn(text)), file).to.equal(true);
    expect(Buffer.byteLength(assets.join(''))).to.be.below(MOST_BYTES);
  });

  it('has only rules in layers, so that the order of the files does not matter for their strength', () => {
    for (const [file, text] of parts)
      expect(
        text
          .replaceAll(/\/\*.*?\*\//gs, '')
          .trim()
          .replace(/^@layer tokens, base, components, print;\s*/, ''),
        file,
      ).to.match(/^@layer (tokens|base|components|print) \{\n.*\n?\}$/s);
  });

  it('has no class that no template or script uses', async () => {
    // Classes of templates, and strings of nothing but words: a class can be in a variable.
    const sources = [
      ...(await textsOf(/\.eta$/)).matchAll(/class="((?:<%.*?%>|[^"])*)"/gs),
      ...(await textsOf(/\.(eta|ts|js)$/)).matchAll(/['"`]([a-z][a-z0-9 -]*)['"`]/g),
    ];
    const used = new Set(sources.flatMap(([, text = '']) => text.match(/[a-z][a-z0-9-]*/g) ?? []));
    for (const [file, text] of parts) {
      const selectors = text.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{};]+)\{/g);
      const classes = [...selectors].flatMap(([, selector = '']) =>
        [...selector.matchAll(/\.([a-z][a-z0-9-]*)/g)].map(([, name = '']) => name),
      );
      expect(
        classes.filter((name) => !used.has(name)),
        file,
      ).to.deep.equal([]);
    }
  });

  it('uses only properties that tokens.css defines', () => {
    const defined = new Set(
      [...(parts.get('tokens.css') ?? '').matchAll(/(--[a-z0-9-]+):/g)].map(([, name]) => name),
    );
    for (const [file, text] of parts)
      expect(
        [...text.matchAll(/var\((--[a-z0-9-]+)/g)]
          .map(([, name]) => name)
          .filter((name) => !defined.has(name)),
        file,
      ).to.deep.equal([]);
  });
});
