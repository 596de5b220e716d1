import { expect } from 'chai';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import { checkBody } from '#test/support/builders/check-body.ts';
import { A_REQUEST } from '#test/support/servers/api-server.ts';

const ALL = {
  on_source_error: 'placeholder',
  compression: 'auto',
  on_conflict: 'fail',
  sha256: true,
  manifest: 'json',
  portable_names: 'rewrite',
  modification_time: '2026-01-31T12:00:00+02:00',
  sequential: true,
} as const satisfies Record<(typeof CALLER_OPTIONS)[number], unknown>;

const refusalOf = (...args: Parameters<typeof checkBody>): unknown => {
  try {
    return checkBody(...args);
  } catch (error) {
    return error;
  }
};
const invalid = (param: string) => ({ status: 422, code: 'parameter_invalid', param });

describe('the options of a request', () => {
  it('are those of the job', () => {
    expect(checkBody({ ...A_REQUEST, ...ALL }).options).to.deep.equal({
      onSourceError: 'Placeholder',
      compression: 'auto',
      onConflict: 'fail',
      sha256: true,
      manifest: 'json',
      portableNames: 'rewrite',
      fixedModificationTime: '2026-01-31T10:00:00.000Z',
      sequential: true,
    });
    expect(checkBody(A_REQUEST).options).to.deep.equal({});
  });

  for (const option of CALLER_OPTIONS) {
    const body = { ...A_REQUEST, [option]: ALL[option] };

    it(`refuse ${option} of the wrong type or with an unknown value (C3)`, () => {
      for (const value of [
        null,
        7,
        [],
        {},
        '',
        'loose',
        ...(typeof ALL[option] === 'string' ? [true] : ['true']),
      ])
        expect(refusalOf({ ...A_REQUEST, [option]: value }), JSON.stringify(value)).to.include(
          invalid(option),
        );
    });

    it(`refuse ${option} with the reason if the class or the project closes it (C3)`, () => {
      expect(refusalOf(body, {}, { default: { closedOptions: [option] } }))
        .to.include(invalid(option))
        .and.to.have.property(
          'message',
          `${option} is not available: the operator has closed this option for the project. Remove it from the request.`,
        );
      expect(refusalOf(body, { callerOptions: { closed: [option] } }))
        .to.include(invalid(option))
        .and.to.have.property(
          'message',
          `${option} is not available: the project has closed this option. Remove it from the request.`,
        );
      const others = CALLER_OPTIONS.filter((other) => other !== option);
      expect(refusalOf(body, { callerOptions: { closed: others } })).to.have.property('options');
    });
  }

  it('refuse less than the project demands and accept more (C2)', () => {
    for (const [demanded, chosen, isAllowed] of [
      ['refuse', 'keep', false],
      ['refuse', 'rewrite', false],
      ['rewrite', 'keep', false],
      ['refuse', 'refuse', true],
      ['rewrite', 'refuse', true],
      ['keep', 'rewrite', true],
    ] as const) {
      const got = refusalOf(
        { ...A_REQUEST, portable_names: chosen },
        { jobDefaults: { portableNames: demanded } },
      );
      if (isAllowed) expect(got).to.have.nested.property('options.portableNames', chosen);
      else
        expect(got)
          .to.include(invalid('portable_names'))
          .and.to.have.property('message')
          .that.contains(`demands "${demanded}"`);
    }
    const keeping = { jobDefaults: { onConflict: 'fail' } };
    expect(refusalOf({ ...A_REQUEST, on_conflict: 'replace' }, keeping)).to.include(invalid('on_conflict'));
    expect(
      checkBody({ ...A_REQUEST, on_conflict: 'fail' }, { jobDefaults: { onConflict: 'replace' } }).options,
    ).to.deep.equal({ onConflict: 'fail' });
  });

  it('refuse names that are not portable if the request says so', () => {
    const urls = [{ url: 'https://h.example.com/', filename: 'what?' }];
    expect(refusalOf({ ...A_REQUEST, urls, portable_names: 'refuse' })).to.include(invalid('urls'));
    expect(checkBody({ ...A_REQUEST, urls, portable_names: 'rewrite' }).files).to.have.length(1);
  });

  it('refuse a file that has the name of the manifest, by its index', () => {
    const named = (filename: string) => ({
      ...A_REQUEST,
      urls: [...A_REQUEST.urls, { url: 'https://h.example.com/', filename }],
    });
    for (const name of ['manifest.json', 'manifest.json/a']) {
      expect(checkBody(named(name)).files).to.have.length(2);
      expect(refusalOf({ ...named(name), manifest: 'json' }))
        .to.include(invalid('urls'))
        .and.to.have.property(
          'message',
          'urls[1].filename conflicts with the name of the manifest, "manifest.json".',
        );
    }
    expect(refusalOf(named('m'), { jobDefaults: { manifestEntry: 'm' } })).to.include(invalid('urls'));
  });

  it('refuse a modification time that an archive cannot contain (C3)', () => {
    for (const time of [
      '2026-01-31',
      '2026-01-31T12:00:00',
      '2026-02-30T12:00:00Z',
      '2026-13-01T12:00:00Z',
      '2026-01-31T25:00:00Z',
      '1979-12-31T23:59:59Z',
      '2108-01-01T00:00:00Z',
      '31 January 2026',
    ])
      expect(refusalOf({ ...A_REQUEST, modification_time: time }), time).to.include(
        invalid('modification_time'),
      );
    expect(checkBody({ ...A_REQUEST, modification_time: '1980-01-01T00:00:00Z' }).options).to.deep.equal({
      fixedModificationTime: '1980-01-01T00:00:00.000Z',
    });
  });
});
