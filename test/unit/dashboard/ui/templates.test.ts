import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';

describe('templates', () => {
  const ROOT = 'dashboard';

  it('write only other templates unescaped', async () => {
    const files = (await readdir(ROOT, { recursive: true })).filter((file) => file.endsWith('.eta'));
    expect(files.length).to.be.above(5);
    for (const file of files) {
      const text = await readFile(join(ROOT, file), 'utf8');
      const raw = [...text.matchAll(/<%~\s*(.*?)%>/gs)].map(([, code = '']) => code.trim());
      expect(
        raw.filter((code) => !/^(include\(|it\.body$)/.test(code)),
        file,
      ).to.deep.equal(file === 'ui/partials/table.eta' ? ['cell.html'] : []);
      // The cells of ui/partials/table.eta that it writes unescaped.
      expect(text, file).to.not.match(/\bhtml:(?! include\()/);
      expect(text, file).to.not.match(/\sstyle=|\son[a-z]+=|<script(?! src=)|<style/);
    }
  });
});
