import { expect } from 'chai';
import {
  commandFailureText,
  deliveryLine,
  doneLine,
  failedText,
  rolloutFailureText,
  zipperLine,
} from '#test/dev/messages.ts';

describe('messages of npm run dev', () => {
  it('name the process, the file and the duration of a restart', () => {
    const paths = ['controller/zip-job/decide.ts'];
    expect(doneLine({ paths, restarted: ['controller'], isUpgraded: false, milliseconds: 1_234 })).to.equal(
      'controller restarted after controller/zip-job/decide.ts changed (1.2 s)',
    );
  });

  it('name the first of several files and count the others', () => {
    const both = { restarted: ['api', 'controller'], isUpgraded: true, milliseconds: 2_000 } as const;
    expect(doneLine({ paths: ['a.ts', 'b.ts'], ...both })).to.equal(
      'chart upgraded, api and controller restarted after a.ts and 1 other file changed (2.0 s)',
    );
    const all = { ...both, restarted: ['api', 'controller', 'dashboard'] } as const;
    expect(doneLine({ paths: ['a.ts'], ...all })).to.contain('api, controller and dashboard restarted');
    expect(doneLine({ paths: ['a.ts', 'b.ts', 'c.ts'], ...both })).to.contain('a.ts and 2 other files');
  });

  it('say that the next job uses a changed file of the zipper', () => {
    expect(zipperLine(['zipper-image/archive/archive.ts'])).to.equal(
      'zipper-image/archive/archive.ts changed: the next job uses it',
    );
  });

  it('show the log of a process that fails to start, and what to do', () => {
    const problem = rolloutFailureText({
      component: 'controller',
      reason: 'crashed',
      log: 'SyntaxError: oh\n  at main\n',
      isServed: true,
    });
    const paths = ['controller/zip-job/decide.ts'];
    expect(failedText({ paths, problems: [problem], served: ['controller'] })).to.equal(
      [
        'controller/zip-job/decide.ts changed, but the change could not be applied.',
        'controller failed to start. The end of its log:',
        '    SyntaxError: oh',
        '      at main',
        'The previous controller keeps running.',
        'Fix the problem and save the file to try again.',
      ].join('\n'),
    );
  });

  it('include the time after which a process is not ready', () => {
    const reason = { afterMs: 60_000 };
    expect(rolloutFailureText({ component: 'api', reason, log: '', isServed: false })).to.equal(
      'api is not ready after 60 s. The end of its log:\n    (empty)',
    );
  });

  it('show the output of a failed command', () => {
    expect(commandFailureText('helm upgrade', 'Error: no\n')).to.equal('helm upgrade failed:\n    Error: no');
  });

  it('show a webhook and whether its signature is valid', () => {
    expect(deliveryLine('{}', true)).to.equal('webhook received, signature valid: {}');
    expect(deliveryLine('{}', false)).to.contain('invalid (expected if you rotated the secret)');
  });
});
