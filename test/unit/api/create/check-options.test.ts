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
  duplicate_names: 'rename',
  modification_time: '2026-01-31T12:00:00+02:00',
  sequential: true,
} as const;
const OBJECT = {
  content_disposition: 'attachment; filename="a.zip"',
  content_type: 'application/x-zip-compressed',
  cache_control: 'no-store',
  storage_class: 'STANDARD_IA',
  metadata: { department: 'sales' },
  tags: { retention: '30 days' },
} as const;

/** A valid value of an option, as part of a request. */
function withOption(option: string, value?: unknown): Readonly<Record<string, unknown>> {
  const [field = '', part] = option.split('.');
  if (part === undefined) return { [field]: value === undefined ? ALL[field as keyof typeof ALL] : value };
  return { object: { [part]: value === undefined ? OBJECT[part as keyof typeof OBJECT] : value } };
}

function refusalOf(...args: Parameters<typeof checkBody>): unknown {
  try {
    return checkBody(...args);
  } catch (error) {
    return error;
  }
}

function invalid(param: string) {
  return { status: 422, code: 'parameter_invalid', param };
}

describe('the options of a request', () => {
  it('are those of the job', () => {
    expect(checkBody({ ...A_REQUEST, ...ALL, object: OBJECT }).options).to.deep.equal({
      onSourceError: 'Placeholder',
      compression: 'auto',
      onConflict: 'fail',
      sha256: true,
      manifest: 'json',
      portableNames: 'rewrite',
      duplicateNames: 'rename',
      fixedModificationTime: '2026-01-31T10:00:00.000Z',
      sequential: true,
      objectOptions: {
        contentDisposition: OBJECT.content_disposition,
        contentType: OBJECT.content_type,
        cacheControl: OBJECT.cache_control,
        storageClass: OBJECT.storage_class,
        metadata: OBJECT.metadata,
        tags: OBJECT.tags,
      },
    });
    expect(checkBody({ ...A_REQUEST, object: {} }).options).to.deep.equal({});
    expect(checkBody(A_REQUEST).options).to.deep.equal({});
  });

  for (const option of CALLER_OPTIONS) {
    const body = { ...A_REQUEST, ...withOption(option) };
    const [param = ''] = option.split('.');

    it(`refuse ${option} of the wrong type or with an unknown value (C3)`, () => {
      const wrong = typeof Object.values(withOption(option))[0] === 'boolean' ? 'true' : true;
      for (const value of [null, 7, [], '', 'loose text\n', wrong, { a: 1 }])
        expect(refusalOf({ ...A_REQUEST, ...withOption(option, value) }), JSON.stringify(value)).to.include(
          invalid(param),
        );
    });

    it(`refuse ${option} with the reason if the class or the project closes it (C3)`, () => {
      expect(refusalOf(body, {}, { classes: { default: { closedOptions: [option] } } }))
        .to.include(invalid(param))
        .and.to.have.property(
          'message',
          `${option} is not available: the operator has closed this option for the project. Remove it from the request.`,
        );
      expect(refusalOf(body, { callerOptions: { closed: [option] } }))
        .to.include(invalid(param))
        .and.to.have.property(
          'message',
          `${option} is not available: the project has closed this option. Remove it from the request.`,
        );
      const others = CALLER_OPTIONS.filter((other) => other !== option);
      expect(refusalOf(body, { callerOptions: { closed: others } })).to.have.property('options');
    });
  }

  it('are refused if they are less strict than the project, and accepted if they are stricter (C2)', () => {
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
          .that.contains(`requires "${demanded}"`);
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

  it('rename files of the same name if the request or the project says so (FD21)', () => {
    const urls = ['a', 'a'].map((filename) => ({ url: 'https://h.example.com/', filename }));
    const body = { ...A_REQUEST, urls };
    const renaming = { jobDefaults: { duplicateNames: 'rename' } };
    expect(refusalOf(body)).to.include(invalid('urls'));
    expect(checkBody({ ...body, duplicate_names: 'rename' }).files).to.have.length(2);
    expect(checkBody(body, renaming).files).to.have.length(2);
    expect(refusalOf({ ...body, duplicate_names: 'refuse' }, renaming)).to.include(invalid('urls'));
    expect(refusalOf({ ...body, duplicate_names: 'Rename' })).to.include(invalid('duplicate_names'));
    const closed = { callerOptions: { closed: ['duplicate_names'] } } as const;
    expect(refusalOf({ ...body, duplicate_names: 'rename' }, closed)).to.include(invalid('duplicate_names'));
  });

  function named(...filenames: readonly string[]) {
    return {
      ...A_REQUEST,
      urls: [
        ...A_REQUEST.urls,
        ...filenames.map((filename) => ({ url: 'https://h.example.com/', filename })),
      ],
    };
  }

  for (const [manifest, entry] of [
    ['json', 'manifest.json'],
    ['sha256sum', 'manifest-sha256.txt'],
  ] as const)
    it(`refuse a file that has the name of the ${manifest} manifest, by its index (C8)`, () => {
      const conflict = `urls[1].filename conflicts with the name of the manifest, "${entry}".`;
      for (const name of [entry, `${entry}/foo`]) {
        expect(checkBody(named(name)).files).to.have.length(2);
        for (const portable_names of ['keep', 'refuse', 'rewrite'])
          expect(refusalOf({ ...named(name), manifest, portable_names }))
            .to.include(invalid('urls'))
            .and.to.have.property('message', conflict);
      }
      for (const name of [entry.toUpperCase(), `${entry.toUpperCase()}/foo`]) {
        expect(checkBody({ ...named(name), manifest }).files).to.have.length(2);
        for (const portable_names of ['refuse', 'rewrite'])
          expect(refusalOf({ ...named(name), manifest, portable_names }))
            .to.include(invalid('urls'))
            .and.to.have.property('message', conflict);
      }
    });

  it('refuse a file that has the name of the manifest of the project, also after it is rewritten (C8)', () => {
    const jobDefaults = { manifestEntry: 'm_\u00e9' };
    for (const name of ['m_\u00e9', 'm_\u00e9/a'])
      expect(refusalOf(named(name), { jobDefaults })).to.include(invalid('urls'));
    for (const name of ['m?\u00e9', 'M_e\u0301']) {
      expect(checkBody(named(name), { jobDefaults }).files).to.have.length(2);
      expect(refusalOf({ ...named(name), portable_names: 'rewrite' }, { jobDefaults })).to.include(
        invalid('urls'),
      );
    }
    const inFolder = { jobDefaults: { manifestEntry: 'about/m' } };
    expect(refusalOf(named('about'), inFolder)).to.include(invalid('urls'));
    expect(checkBody(named('about/n'), inFolder).files).to.have.length(2);
  });

  it('allow files of a bag to have the names of its tag files, because they are in a folder (C8)', () => {
    const names = ['bagit.txt', 'manifest-sha256.txt', 'data'];
    expect(checkBody({ ...named(...names), manifest: 'bagit' }).files).to.have.length(4);
  });

  it('refuse names that validators of bags misread, by their index', () => {
    for (const name of ['100%', 'a%0Ab', 'a\u2028b', 'a\u2029b', 'a ', 'a\u00a0']) {
      expect(checkBody({ ...named('b', name), manifest: 'sha256sum' }).files).to.have.length(3);
      expect(refusalOf({ ...named('b', name), manifest: 'bagit' }))
        .to.include(invalid('urls'))
        .and.to.have.property('message')
        .that.matches(/^urls\[2\]\.filename contains a percent sign/);
    }
    const same = named('\u00e9', 'e\u0301');
    expect(refusalOf({ ...same, manifest: 'bagit' }))
      .to.include(invalid('urls'))
      .and.to.have.property('message')
      .that.matches(/^urls\[2\]\.filename differs .* only in/);
    expect(checkBody({ ...same, manifest: 'bagit', portable_names: 'rewrite' }).files).to.have.length(3);
    expect(checkBody({ ...named('a '), manifest: 'bagit', portable_names: 'rewrite' }).files).to.have.length(
      2,
    );
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

  function withObject(object: object): unknown {
    return refusalOf({ ...A_REQUEST, object });
  }

  for (const [name, metadata, message] of [
    ['the attempt of the service', { 'zip-attempt': 'x' }, 'starts with "zip-", which is reserved'],
    ['a name of the service', { 'zip-': 'x' }, 'has an invalid name'],
    ['a name of the service in other letters', { 'Zip-Attempt': 'x' }, 'has an invalid name'],
    ['a name with a line break', { 'a\r\nx-amz-acl': 'public-read' }, 'has an invalid name'],
    ['a name that is not ASCII', { ä: 'x' }, 'has an invalid name'],
    ['CR in a value', { a: 'x\ry' }, 'has an invalid value: use printable ASCII'],
    ['LF in a value', { a: 'x\ny' }, 'has an invalid value: use printable ASCII'],
    ['a value that is not ASCII', { a: 'ü' }, 'has an invalid value: use printable ASCII'],
    ['spaces around a value', { a: ' x' }, 'has an invalid value: use printable ASCII'],
    [
      'more than the limit in all',
      { a: 'x'.repeat(1000), b: 'x'.repeat(919) },
      'more than 1920 bytes of names and values',
    ],
  ] as const)
    it(`refuse metadata of the object with ${name} (C1)`, () => {
      expect(withObject({ metadata }))
        .to.include(invalid('object'))
        .and.to.have.property('message')
        .that.contains('object.metadata')
        .and.contains(message);
    });

  it('accept metadata of the object up to the limit (C1)', () => {
    const metadata = { a: 'x'.repeat(1000), b: 'x'.repeat(918) };
    expect(withObject({ metadata }))
      .to.have.nested.property('options.objectOptions.metadata')
      .that.deep.equals(metadata);
  });

  it('refuse an unknown option of the object by its name (C3)', () => {
    for (const [field, shown] of [
      ['acl', 'acl'],
      ['x'.repeat(1000), 'x'.repeat(64)],
    ] as const)
      expect(withObject({ [field]: 'a' }))
        .to.include(invalid('object'))
        .and.to.have.property('message', `object has the unknown field "${shown}".`);
    expect(withObject({ tags: { ['x'.repeat(1000)]: 1 } })).to.have.property(
      'message',
      `object.tags.${'x'.repeat(64)} must be of type string.`,
    );
  });

  it('refuse other options of the object that are no valid headers or tags (C1, C3)', () => {
    const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`t${n}`, 'v']));
    for (const [field, value] of [
      ['content_disposition', 'attachment\r\nx-amz-acl: public-read'],
      ['content_type', 'zip'],
      ['content_type', 'application/zip\n'],
      ['content_type', 'text/html'],
      ['content_type', 'image/svg+xml'],
      ['content_type', 'application/xhtml+xml'],
      ['content_type', 'application/javascript'],
      ['cache_control', 'ü'],
      ['storage_class', 'glacier'],
      ['tags', eleven],
      ['tags', { 'aws:a': 'x' }],
      ['tags', { a: 'x&b=y' }],
      ['tags', { '': 'x' }],
    ] as const)
      expect(withObject({ [field]: value }), field).to.include(invalid('object'));
  });
});
