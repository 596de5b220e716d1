import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { addBucketCommands } from '#cli/bucket-commands.ts';
import { addJobCommands } from '#cli/job-commands.ts';
import { addProjectCommands } from '#cli/project-commands.ts';
import { addTokenCommands } from '#cli/token-commands.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { aZipJob, UUID } from '#test/support/builders/objects.ts';
import { until } from '#test/support/until.ts';
import { runProgram } from './fake-session.ts';

const GROUPS = [addProjectCommands, addBucketCommands, addTokenCommands, addJobCommands];
const OTHER = '00000000-0000-4000-8000-000000000001';

/** The namespaces in which the completion of the last word lists names. */
async function askedFor(...line: readonly string[]): Promise<readonly string[]> {
  const asked: string[] = [];
  const kube: KubeClient = {
    server: 'https://example.test',
    request: ({ path }) => {
      asked.push(path);
      return Promise.reject(new Error('not needed'));
    },
    stream: () => Promise.reject(new Error('not needed')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  await runProgram({ groups: GROUPS, kube }, ['--get-yargs-completions', 'zipjobs', ...line]);
  return asked.map((path) => /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? path);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('completion of names', () => {
  for (const option of [
    ['-n', 'prod'],
    ['-n=prod'],
    ['--namespace', 'prod'],
    ['--namespace=prod'],
    // As bash splits it.
    ['--namespace', '=', 'prod'],
  ])
    it(`lists tokens of the namespace that the line names: ${option.join(' ')} (UI27)`, async () => {
      expect(await askedFor('token', 'revoke', ...option, '')).to.deep.equal(['prod']);
      expect(await askedFor(...option, 'token', 'revoke', 'a')).to.deep.equal(['prod']);
    });

  for (const options of [
    ['--service', 'r2'],
    ['--service=r2'],
    ['--service', '=', 'r2'],
    ['--timeout', '60'],
  ])
    it(`lists buckets after options with values: ${options.join(' ')} (UI27)`, async () => {
      expect(await askedFor('bucket', 'test', ...options, '')).to.deep.equal(['default']);
    });

  it('lists names after options without a value', async () => {
    expect(await askedFor('bucket', 'delete', '--force', '-y', '')).to.deep.equal(['default']);
  });

  for (const command of ['project show', 'project update', 'project delete', 'project purge'])
    it(`lists projects for ${command}, and for the option of the namespace`, async () => {
      expect(await askedFor(...command.split(' '), '')).to.have.length.above(0);
      for (const option of [['-n'], ['--namespace'], ['--namespace', '=']])
        expect(await askedFor(...command.split(' '), ...option, 'a')).to.have.length.above(0);
    });

  for (const command of ['show', 'update', 'set-credentials', 'test', 'delete'])
    it(`lists buckets for bucket ${command}`, async () => {
      expect(await askedFor('bucket', command, '')).to.deep.equal(['default']);
    });

  it('lists no names where none is expected', async () => {
    for (const line of [
      ['bucket', 'test', 'reports', ''],
      ['bucket', 'create', ''],
      ['bucket', 'update', 'reports', '--region', ''],
      ['bucket', 'test', '--service', ''],
      ['bucket', ''],
      ['bucket', 'test', '--'],
      // The program refuses this option.
      ['token', 'revoke', '-nprod', ''],
    ])
      expect(await askedFor(...line), line.join(' ')).to.deep.equal([]);
  });

  /** What the completion prints for a project with two jobs. */
  async function completed(shell: string | undefined, ...line: readonly string[]) {
    const kube: KubeClient = {
      server: 'https://example.test',
      request: () =>
        Promise.resolve({
          metadata: {},
          items: [aZipJob({ status: { phase: 'Running' } }), aZipJob({ metadata: { name: `zip-${OTHER}` } })],
        }),
      stream: () => Promise.reject(new Error('not needed')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const words = ['--get-yargs-completions', 'zipjobs', ...line];
    const { output } = await runProgram({ groups: GROUPS, kube, shell }, words);
    return output
      .trim()
      .split('\n')
      .filter((word) => word !== '');
  }

  for (const command of ['get', 'show', 'wait', 'logs', 'cancel', 'run-again', 'replay-webhook'])
    it(`lists IDs of jobs for job ${command}, with phase and key in zsh (Q-C7)`, async () => {
      const { key } = aZipJob().spec;
      expect(await completed(undefined, 'job', command, '')).to.have.members([UUID, OTHER]);
      expect(await completed('zsh', 'job', command, UUID.slice(0, 4))).to.deep.equal([
        `${UUID}:Running ${key}`,
      ]);
    });

  it('lists the values of options (Q-C7)', async () => {
    expect(await completed(undefined, 'job', 'list', '--phase', 'F')).to.deep.equal(['Finalizing', 'Failed']);
    expect(await completed(undefined, 'job', 'list', '--reason', 'SourceNot')).to.deep.equal([
      'SourceNotFound',
    ]);
    expect(await completed(undefined, 'job', 'list', '--context', '=', 'p')).to.deep.equal(['prod']);
    expect(await completed(undefined, 'job', 'list', '--service', '')).to.include.members(['s3', 'r2']);
    expect(await askedFor('job', 'list', '-n', 'prod', '--bucket', '')).to.deep.equal(['prod']);
    expect(await askedFor('job', 'list', '--token-id', '')).to.deep.equal(['default']);
  });

  it('prints a script for each shell, by default for that of the user (Q-C7)', async () => {
    async function script(shell: string | undefined, ...args: readonly string[]) {
      const { code, output } = await runProgram({ groups: GROUPS, shell }, ['completion', ...args]);
      expect(code).to.equal(0);
      expect(output).not.to.contain('yargs command');
      return output;
    }
    expect(await script(undefined)).to.match(/^# Completion of zipjobs for bash\n/);
    expect(await script('bash', 'zsh')).to.match(/^#compdef zipjobs\n/);
    expect(await script('zsh')).to.equal(await script(undefined, 'zsh'));
    expect(await script('fish')).to.match(/^# Completion of zipjobs for fish\n[^]*string replace ':' \\t\n/);
    expect((await runProgram({ groups: GROUPS }, ['completion', 'ksh'])).code).to.equal(2);
  });

  it('completes in bash (Q-C7)', async () => {
    const { output } = await runProgram({ groups: GROUPS }, ['completion', 'bash']);
    const use = [
      'zipjobs() { printf "%s\\n" job "job list" "$SHELL" "[$*]"; }',
      output,
      'COMP_WORDS=(zipjobs jo); COMP_CWORD=1; _zipjobs_completion; printf "%s\\n" "${COMPREPLY[@]}"',
      'COMP_WORDS=(zipjobs ""); COMP_CWORD=1; _zipjobs_completion; printf "%s\\n" "${COMPREPLY[@]}"',
    ].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-euc', use]);
    const all = ['job', 'job list', 'bash', '[--get-yargs-completions zipjobs ]'];
    expect(stdout.trimEnd().split('\n')).to.deep.equal(['job', 'job list', ...all]);
  });

  describe('with a credential plugin that hangs', function () {
    this.timeout(60_000);
    let dir = '';
    beforeEach(async () => {
      dir = await mkdtemp(join(tmpdir(), 'completion-'));
    });
    afterEach(() => rm(dir, { recursive: true }));

    it('ends without names, and does not wait for the plugin (UI27)', async () => {
      const [command, pidFile] = [join(dir, 'plugin'), join(dir, 'pid')];
      await writeFile(command, `#!/bin/sh\necho $$ > ${pidFile}\nexec sleep 30\n`);
      await chmod(command, 0o755);
      const exec = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command,
        interactiveMode: 'Never',
      };
      const kubeconfig = join(dir, 'config');
      await writeFile(
        kubeconfig,
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Config',
          'current-context': 'c',
          clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
          contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
          users: [{ name: 'u', user: { exec } }],
        }),
      );
      const line = ['--get-yargs-completions', 'zipjobs', 'token', 'revoke', ''];
      const child = spawn(process.execPath, ['cli/main.ts', ...line], {
        env: { ...process.env, KUBECONFIG: kubeconfig },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      const output = text(child.stdout);
      await until('the plugin', () => existsSync(pidFile));
      const plugin = Number(readFileSync(pidFile, 'utf8'));
      try {
        expect(await ended).to.deep.equal([0, null]);
        expect(await output).to.equal('');
        expect(isRunning(plugin)).to.equal(true);
      } finally {
        if (isRunning(plugin)) process.kill(plugin, 'SIGKILL');
      }
    });
  });
});
