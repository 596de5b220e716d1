/** The most expensive requests that the API reads. */
import { expect } from 'chai';
import { jsonLimits } from '#api/body/request-limits.ts';
import type { Steps } from '#api/body/steps.ts';
import { parseStrictJson } from '#api/body/strict-json.ts';
import { API_SETTINGS } from '#api/config.ts';
import { assertAllowed, readTypes, type ZipJobRequest } from '#api/create/check-request.ts';
import { withEntryFaults } from '#api/create/list-entry-faults.ts';
import { createReadRequest } from '#api/create/read-request.ts';
import { createRequestPolicy } from '#api/create/request-policy.ts';
import { parameterInvalid } from '#api/errors/api-error.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { unlimitedFiles } from '#test/support/builders/file-budget.ts';
import { FAULTY_REQUESTS, HOSTILE_BODIES, LARGEST_REQUESTS } from '#test/support/builders/large-bodies.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';
import { A_REQUEST, aProject, startApiServer } from '#test/support/servers/api-server.ts';

const MAX_BODY_BYTES = API_SETTINGS.maxBodyBytes.default;
/** Of the processor time for a whole request: several times the share of the longest step, for a busy machine. */
const LONGEST_STEP_SHARE = 0.3;
const limits = { maxFiles: 10_000, maxUrlLength: 8_192, maxKeyBytes: 1_024, maxMetadataBytes: 16_384 };
const requestPolicy = createRequestPolicy({
  ...projectClasses(),
  egress: createEgressPolicy({ allowCidrs: [], denyCidrs: [] }),
  limits,
});
const project = aProject('team-a', { jobDefaults: { portableNames: 'refuse' } });

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

interface Measured<T> {
  /** Processor time of the longest step, and of all. */
  readonly longestMs: number;
  readonly totalMs: number;
  readonly value?: T;
}

/** Runs the steps to their end or first error. */
function runMeasured<T>(steps: Steps<T>): Measured<T> {
  let longestMs = 0;
  let totalMs = 0;
  for (let before = cpuMs(); ; ) {
    const step = (() => {
      try {
        return steps.next();
      } catch {
        return undefined;
      }
    })();
    const after = cpuMs();
    longestMs = Math.max(longestMs, after - before);
    totalMs += after - before;
    before = after;
    if (step === undefined) return { longestMs, totalMs };
    if (step.done === true) return { longestMs, totalMs, value: step.value };
  }
}

function* read(body: Buffer, of = project): Steps<ZipJobRequest> {
  const json = yield* parseStrictJson(body, jsonLimits(limits));
  const policy = requestPolicy(of);
  const typed = yield* readTypes(json, policy);
  yield;
  yield* assertAllowed(typed, policy);
  return typed.request;
}

function* listFaults(body: Buffer): Steps<unknown> {
  const json = yield* parseStrictJson(body, jsonLimits(limits));
  return yield* withEntryFaults(
    parameterInvalid('urls', 'urls[0] is not valid.'),
    json,
    requestPolicy(project),
  );
}

/** Processor time for a large valid request: a quarter of a second on two cores without other work. */
let validMs = 0;

/** No step takes as long as a whole valid request, on any machine. */
function expectShortSteps({ longestMs }: Measured<unknown>): void {
  // The machine may be busier now than when it was measured.
  if (longestMs >= validMs)
    validMs = Math.max(validMs, runMeasured(read(LARGEST_REQUESTS['presigned URLs']())).totalMs);
  expect(longestMs).to.be.below(validMs);
}

describe('createReadRequest', function () {
  this.timeout(60_000);

  for (const [name, build] of Object.entries(HOSTILE_BODIES)) {
    it(`never blocks the event loop for long: a body of ${name} (N1)`, () => {
      const measured = runMeasured(read(build(MAX_BODY_BYTES)));
      expect(measured.value).to.equal(undefined);
      expectShortSteps(measured);
    });
  }

  for (const [name, build] of Object.entries(LARGEST_REQUESTS)) {
    it(`reads the largest valid request in short steps: ${name} (N1)`, () => {
      const body = build();
      expect(body.length).to.be.within(0.7 * MAX_BODY_BYTES, MAX_BODY_BYTES);
      const { longestMs, totalMs, value } = runMeasured(read(body));
      expect(value?.files).to.have.length(limits.maxFiles);
      expect(longestMs / totalMs).to.be.below(LONGEST_STEP_SHARE);
    });
  }

  it('checks names that must be rewritten in short steps (N1) (FD12)', () => {
    const urls = Array.from({ length: limits.maxFiles }, (_, index) => ({
      url: `https://files.example.com/${index}`,
      filename: `${index % 2 === 0 ? 'd/'.repeat(505) : `${'e\u0301\u200e:'.repeat(50)}/`.repeat(5)}${index}`,
    }));
    const body = Buffer.from(JSON.stringify({ ...A_REQUEST, urls }));
    const rewriting = aProject('team-a', { jobDefaults: { portableNames: 'rewrite' } });
    const measured = runMeasured(read(body, rewriting));
    expect(measured.value?.files).to.have.length(limits.maxFiles);
    expectShortSteps(measured);
  });

  for (const [name, build] of Object.entries(FAULTY_REQUESTS)) {
    it(`lists the invalid entries of a large request in short steps: ${name} (N1) (C4)`, () => {
      const measured = runMeasured(listFaults(build()));
      const { value } = measured;
      expect(value).to.have.nested.property('more.files').with.length(100);
      expect(value).to.have.nested.property('more.files_total').within(9_900, 10_000);
      expectShortSteps(measured);
    });
  }

  it('lets other requests run while it reads and packs a large one (N1)', async () => {
    const body = LARGEST_REQUESTS['long names']();
    const turns: number[] = [];
    const timer = setInterval(() => turns.push(performance.now()), 1);
    try {
      const { list } = await createReadRequest({ requestPolicy, limits, fileBudget: unlimitedFiles() })(
        body,
        project,
      );
      expect(list.count).to.equal(limits.maxFiles);
    } finally {
      clearInterval(timer);
    }
    expect(turns.length).to.be.above(5);
  });

  it('reads and packs more than the limits allow only for a retry (BC3)', async () => {
    const readRequest = createReadRequest({
      requestPolicy,
      limits: { ...limits, maxFiles: 1 },
      fileBudget: unlimitedFiles(),
    });
    const [file] = A_REQUEST.urls;
    function bodyOf(files: number): Buffer {
      return Buffer.from(
        JSON.stringify({ ...A_REQUEST, urls: Array<unknown>(files).fill(file), key: 'a/..' }),
      );
    }
    for (const files of [1, 2_000]) {
      let asked = 0;
      function read(isKnown: boolean) {
        return readRequest(bodyOf(files), project, {
          isRetry: () => {
            asked += 1;
            return Promise.resolve(isKnown);
          },
        });
      }
      const error = await read(false).catch((caught: unknown) => caught);
      expect(error).to.have.property('code', files === 1 ? 'parameter_invalid' : 'TooManyValues');
      const { list, refusal } = await read(true);
      expect([list.count, refusal?.param, asked]).to.deep.equal([files, 'key', 2]);
    }
  });

  it('responds with 413 to more values than a valid request can contain (N1)', async () => {
    await using api = await startApiServer();
    const bodies = [
      `{"urls":[${'{},'.repeat(250_000)}{}]}`,
      `[${'[],'.repeat(250_000)}[]]`,
      JSON.stringify({ ...A_REQUEST, unknown: Array<number>(10_000).fill(1) }),
    ];
    for (const body of bodies) {
      const response = await api.post(body);
      expect([response.status, response.body.error?.code]).to.deep.equal([413, 'too_many_values']);
    }
  });

  it('accepts unknown fields, and reports one file too many as such (N1)', async () => {
    await using api = await startApiServer();
    const [file] = A_REQUEST.urls;
    const unknown = { ...A_REQUEST, urls: [{ ...file, tags: Array<number>(500).fill(1) }], a: { b: [1, 2] } };
    expect((await api.post(unknown)).status).to.equal(201);
    const urls = Array.from({ length: 10_001 }, (_, index) => ({ ...file, filename: String(index) }));
    const response = await api.post({ ...A_REQUEST, urls });
    expect([response.status, response.body.error?.param]).to.deep.equal([422, 'urls']);
  });
});
