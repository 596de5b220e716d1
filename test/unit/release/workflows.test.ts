import { execFile } from 'node:child_process';
import { accessSync, constants, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { requirePrograms } from '#test/support/processes/require-programs.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: unknown;
  readonly strategy?: { readonly matrix: { readonly include: unknown } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: unknown;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = '.github/workflows';
const SCRIPTS = '.github/scripts';
const FILES = readdirSync(FOLDER);
const run = promisify(execFile);

function workflow(file: string): Workflow {
  return parse(readFileSync(join(FOLDER, file), 'utf8')) as Workflow;
}

const release = workflow('release.yaml');
const daily = workflow('daily.yaml');

function stepsOf({ jobs }: Workflow): readonly Step[] {
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

/** The jobs of ci.yaml: one job with a matrix. */
function runsOf(job: Job | undefined) {
  return job?.strategy?.matrix.include as readonly { readonly steps: string; readonly minutes?: number }[];
}

/** Standard error of a script that fails; undefined if it succeeds. */
function failureOf(script: string, ...args: readonly string[]): Promise<string | undefined> {
  return run(join(SCRIPTS, script), [...args]).then(
    () => undefined,
    (error: { stderr: string }) => error.stderr.trim(),
  );
}

describe('the workflows', () => {
  it('have no finding of actionlint (X20)', async function () {
    // The first run builds it.
    this.timeout(300_000);
    await requirePrograms(this, ['go']);
    const files = FILES.map((file) => resolve(FOLDER, file));
    const { stdout } = await run('go', ['tool', 'actionlint', '-no-color', ...files], {
      cwd: 'tools/actionlint',
    });
    expect(stdout).to.equal('');
  });

  for (const file of FILES) {
    it(`${file} names each action by a commit, with its version as a comment (X20)`, () => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      const uses = text.split('\n').filter((line) => line.includes('uses:'));
      expect(uses).to.have.length.above(0);
      for (const line of uses)
        expect(line).to.match(/^ +(?:- )?uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    it(`${file} gives each job a time limit and only permissions of its own (X20)`, () => {
      const { permissions, jobs } = workflow(file);
      expect(permissions).to.deep.equal({});
      for (const [name, job] of Object.entries(jobs)) {
        const limit = job['timeout-minutes'];
        const limits =
          limit === '${{ matrix.minutes }}' ? runsOf(job).map(({ minutes }) => minutes) : [limit];
        for (const minutes of limits) expect(minutes, name).to.be.a('number');
        expect(job.permissions, name).to.be.an('object').that.is.not.empty;
      }
    });

    it(`${file} keeps no credentials in a checkout, and reads no expression in a command (X20)`, () => {
      for (const { uses = '', run: command = '', with: inputs } of stepsOf(workflow(file))) {
        expect(command).to.not.contain('${{');
        if (uses.startsWith('actions/checkout@')) expect(inputs?.['persist-credentials']).to.equal(false);
      }
    });
  }

  it('run each step of .ci/run in one job for every pull request (X20)', async () => {
    const { on, jobs } = workflow('ci.yaml');
    expect(on).to.have.property('pull_request');
    expect(Object.keys(jobs)).to.deep.equal(['run']);
    expect(jobs['run']?.steps.at(-1)).to.deep.equal({
      run: 'sudo env "PATH=$PATH" .ci/run $STEPS',
      env: { STEPS: '${{ matrix.steps }}' },
    });
    // The pipeline lists its steps when it refuses one.
    const { stderr } = await run(process.execPath, ['.ci/pipeline.ts', 'none']).catch(
      (error: { stderr: string }) => error,
    );
    const [, known = ''] = stderr.trim().split('The steps are ');
    const steps = runsOf(jobs['run']).flatMap((job) => job.steps.split(' '));
    expect(steps).to.have.members(known.split(', '));
  });

  it('call every script, and each can be executed (X20)', () => {
    const commands = [
      ...[...stepsOf(release), ...stepsOf(daily)].map((step) => step.run ?? ''),
      ...readdirSync(SCRIPTS).map((script) => readFileSync(join(SCRIPTS, script), 'utf8')),
    ].join('\n');
    for (const script of readdirSync(SCRIPTS)) {
      accessSync(join(SCRIPTS, script), constants.X_OK);
      expect(commands).to.contain(`${SCRIPTS}/${script}`);
    }
  });

  function writesOf({ permissions = {} }: Job): readonly string[] {
    return Object.keys(permissions).filter((scope) => permissions[scope] === 'write');
  }
  function writersOf({ jobs }: Workflow) {
    return Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, writesOf(job)]));
  }

  it('write to the repository, to packages and to attestations only in the jobs that publish (X20)', () => {
    expect(writersOf(release)).to.deep.equal({
      check: [],
      images: [],
      'command-line': [],
      client: [],
      publish: ['packages', 'id-token'],
      attest: ['packages', 'id-token', 'attestations', 'artifact-metadata'],
      'attest-command-line': ['id-token', 'attestations'],
      release: ['contents'],
      'publish-client': ['id-token'],
    });
    expect(writersOf(daily)).to.deep.equal({
      node: [],
      propose: ['contents', 'pull-requests'],
      security: [],
      packages: [],
      kubernetes: [],
      images: [],
    });
  });

  it('run the integration tests on the Kubernetes between each night, with the Go of its module (X52)', () => {
    const steps = daily.jobs['kubernetes']?.steps ?? [];
    expect(steps.at(-1)?.run).to.equal('sudo env "PATH=$PATH" ZIPJOBS_KUBERNETES=between .ci/run test');
    const [command] = steps.flatMap(({ run: text = '' }) => (text.startsWith('node ') ? [text] : []));
    expect(command).to.equal('node scripts/kubernetes-versions.ts --go-module between >>"$GITHUB_OUTPUT"');
    const go = steps.find(({ uses = '' }) => uses.startsWith('actions/setup-go@'));
    expect(go?.with?.['go-version-file']).to.equal('${{ steps.versions.outputs.go-module }}');
  });

  it('and npm run test:extended run them on the oldest and the newest (X52)', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    for (const role of ['oldest', 'newest'])
      expect(scripts['test:extended']).to.contain(
        ` && ZIPJOBS_KUBERNETES=${role} node test/runner/main.ts integration && `,
      );
  });

  for (const file of FILES)
    it(`${file} runs no scripts of packages in a job that can write (N35)`, () => {
      for (const [name, job] of Object.entries(workflow(file).jobs)) {
        if (writesOf(job).length === 0) continue;
        for (const { run: command = '' } of job.steps) {
          // It installs the packages with their scripts.
          expect(command, name).to.not.match(/\.ci\/(?:install|run)|npm (?:run|exec|install|i)\b|npx/);
          for (const [install] of command.matchAll(/npm ci.*/g))
            expect(install, name).to.contain('--ignore-scripts');
        }
      }
    });

  it('check the releases of Node, the images and the packages each day, and propose updates (N27)', () => {
    expect(daily.on)
      .to.have.nested.property('schedule[0].cron')
      .that.matches(/^\d+ \d+ \* \* \*$/);
    const commands = stepsOf(daily)
      .map((step) => step.run ?? '')
      .join('\n');
    for (const command of ['check-node-release.ts', 'propose-node', 'scan-archives', 'npm run audit'])
      expect(commands).to.contain(command);
    const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8')) as {
      readonly updates: readonly {
        'package-ecosystem': string;
        directory?: string;
        directories?: string[];
      }[];
    };
    function directoriesOf(ecosystem: string) {
      return updates
        .filter((update) => update['package-ecosystem'] === ecosystem)
        .flatMap(({ directory, directories = [] }) => [
          ...(directory === undefined ? [] : [directory]),
          ...directories,
        ]);
    }
    const modules = globSync('tools/**/go.mod').map((path) => `/${dirname(path)}`);
    expect(directoriesOf('gomod')).to.have.members(modules);
    expect(directoriesOf('npm')).to.have.members(['/', '/clients/typescript']);
    expect(directoriesOf('github-actions')).to.deep.equal(['/']);
  });

  it('run the Node of .node-version (N27)', () => {
    for (const file of FILES)
      for (const { uses = '', with: inputs } of stepsOf(workflow(file)))
        if (uses.startsWith('actions/setup-node@'))
          expect(inputs, file).to.deep.equal({ 'node-version-file': '.node-version' });
  });
});

describe('the scripts of a release', () => {
  it('refuse a tag of another version, and a version without a section in the changelog (X20)', async () => {
    expect(await failureOf('check-version', 'v99.0.0')).to.match(
      /^package\.json has version .*, but the tag is v99\.0\.0$/,
    );
    expect(await failureOf('release-notes', '99.0.0')).to.equal('CHANGELOG.md has no section "## 99.0.0"');
  });

  it('print the section of a version as release notes (X20)', async () => {
    const { stdout } = await run(join(SCRIPTS, 'release-notes'), ['Unreleased']);
    expect(stdout)
      .to.match(/^\n### Added\n/)
      .and.to.not.match(/^## /m);
  });
});
