import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { exitCodeOf } from '#cli/exit-codes.ts';
import { createTerminal } from '#cli/terminal.ts';
import { until } from '#test/support/until.ts';

const SECRET = 'CANARY/secret';

/** Streams of a terminal; `shown` is everything that it printed. */
function streams() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const errors = Object.assign(new PassThrough(), { isTTY: true });
  // As standard error, which no pipe ends.
  Object.assign(errors, { end: () => errors });
  let shown = '';
  errors.on('data', (piece: Buffer) => (shown += piece.toString()));
  return { input, errors, shown: () => shown };
}

/** A terminal at which a user types. */
function aTerminal() {
  const { input, errors, shown } = streams();
  return { input, terminal: createTerminal({ input, output: new PassThrough(), errors }), shown };
}

/** How a prompt ends after the user has done something. */
async function endOf(
  ask: (terminal: ReturnType<typeof aTerminal>['terminal'], signal: AbortSignal) => Promise<unknown>,
  act: (input: PassThrough, controller: AbortController) => void,
) {
  const { input, terminal, shown } = aTerminal();
  const controller = new AbortController();
  let ended: { readonly value?: unknown; readonly error?: unknown } | undefined;
  void ask(terminal, controller.signal).then(
    (value) => {
      ended = { value };
    },
    (error: unknown) => {
      ended = { error };
    },
  );
  await until('the prompt', () => shown() !== '');
  act(input, controller);
  await until('the end of the prompt', () => ended, { limitMs: 5_000 });
  return { ...ended, shown: shown() };
}

describe('prompts at a terminal', () => {
  const prompts = {
    'a hidden prompt': (terminal, signal) => terminal.askHidden('Secret', signal),
    'a confirmation': (terminal, signal) => terminal.confirm('Really?', signal),
  } as const satisfies Record<string, Parameters<typeof endOf>[0]>;
  const ends = {
    'Control-D': (input: PassThrough) => input.write('\u0004'),
    'Control-C': (input: PassThrough) => input.write('\u0003'),
    'the end of its input': (input: PassThrough) => input.end(),
    'a signal': (_input: PassThrough, controller: AbortController) =>
      controller.abort(new DOMException('received SIGTERM', 'AbortError')),
  };
  for (const [prompt, ask] of Object.entries(prompts))
    for (const [end, act] of Object.entries(ends))
      it(`end ${prompt} as interrupted at ${end} (UI28)`, async () => {
        const { error, ...rest } = await endOf(ask, act);
        expect(error, JSON.stringify(rest)).to.be.instanceOf(Error);
        expect(exitCodeOf(error)).to.equal(130);
      });

  it('read hidden values one after another, and show none of them', async () => {
    const { input, terminal, shown } = aTerminal();
    const { signal } = new AbortController();
    for (const question of ['Access key ID', 'Secret access key']) {
      const value = terminal.askHidden(question, signal);
      await until('the prompt', () => shown().includes(question));
      input.write(SECRET);
      await until('the mask', () => shown().includes(`${question} ${'*'.repeat(SECRET.length)}`));
      input.write('\r');
      expect(await value).to.equal(SECRET);
    }
    expect(shown()).to.contain('*').and.not.contain('CANARY');
  });
});

describe('a line that is rewritten', () => {
  function written(term?: string) {
    const { input, errors, shown } = streams();
    const terminal = createTerminal({ input, output: new PassThrough(), errors, term });
    return { terminal, errors, shown };
  }

  it('is replaced by the next one, and cleared before anything else is written (Q-C2)', async () => {
    const { terminal, shown } = written('xterm');
    terminal.rewrite('one');
    terminal.rewrite('two https://user:secret@example.com/');
    terminal.note('note');
    terminal.note('again');
    terminal.rewrite('three');
    await terminal.print('result\n');
    const clear = '\r\u001B[K';
    await until('the output', () => shown().endsWith(clear));
    const [, first, second = '', ...others] = shown().split(clear);
    expect([first, ...others]).to.deep.equal(['one', 'note\nagain\n', 'three', '']);
    expect(second).to.match(/^two https:/);
    expect(shown()).not.to.contain('secret');
  });

  it('shows colors and symbols on a terminal only, without NO_COLOR and TERM=dumb (Q-C12)', () => {
    function isDecorated(isTTY: boolean | undefined, env: { term?: string; noColor?: string } = {}): boolean {
      const { input, errors } = streams();
      const output = Object.assign(new PassThrough(), { isTTY });
      return createTerminal({ input, output, errors, ...env } as never).isDecorated;
    }
    expect(isDecorated(true)).to.equal(true);
    expect(isDecorated(true, { term: 'xterm', noColor: '' })).to.equal(true);
    expect(isDecorated(undefined)).to.equal(false);
    expect(isDecorated(true, { term: 'dumb' })).to.equal(false);
    expect(isDecorated(true, { noColor: '1' })).to.equal(false);
  });

  it('needs a terminal that can rewrite it (Q-C2)', () => {
    expect(written('xterm').terminal.columns).to.equal(80);
    expect(written('dumb').terminal.columns).to.equal(undefined);
    const { terminal, errors } = written();
    Object.assign(errors, { columns: 132 });
    expect(terminal.columns).to.equal(132);
    Object.assign(errors, { isTTY: false });
    expect(terminal.columns).to.equal(undefined);
  });
});
