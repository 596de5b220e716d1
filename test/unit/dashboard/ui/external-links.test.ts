import { expect } from 'chai';
import { linksOfJob, linksOfProject, readExternalLinks } from '#dashboard/ui/external-links.ts';

interface Given {
  readonly title: unknown;
  readonly url: unknown;
}

function linksOf(...links: readonly Given[]) {
  return readExternalLinks({ dashboardLinksJson: JSON.stringify(links) });
}

function refusalOf(json: string): string {
  try {
    readExternalLinks({ dashboardLinksJson: json });
    return 'accepted';
  } catch (error) {
    return String(error);
  }
}

const LOKI = 'https://grafana.example.com/explore?expr={namespace="{namespace}",pod="{pod}"}&range=1h';
const JOB = { namespace: 'acme', name: 'zip-1', pod: 'zip-1-abcde' };

describe('links to other systems', () => {
  it('have the namespace, job and pod in place of their placeholders, and keep other braces (Q-O10)', () => {
    const links = linksOf(
      { title: 'Loki', url: LOKI },
      { title: 'Job', url: 'http://k/{namespace}/{name}#{name}' },
    );
    expect(linksOfJob(links, JOB)).to.deep.equal([
      {
        title: 'Loki',
        href: 'https://grafana.example.com/explore?expr={namespace=%22acme%22,pod=%22zip-1-abcde%22}&range=1h',
      },
      { title: 'Job', href: 'http://k/acme/zip-1#zip-1' },
    ]);
  });

  it('leave out those of a pod until the job has one, and those of a job on the page of its project (Q-O10)', () => {
    const links = linksOf(
      { title: 'Pod', url: 'https://k/{pod}' },
      { title: 'Job', url: 'https://k/{name}' },
      { title: 'Project', url: 'https://k/?ns={namespace}' },
      { title: 'Home', url: 'https://k' },
    );
    const withoutPod = linksOfJob(links, { ...JOB, pod: undefined });
    expect(withoutPod.map(({ title }) => title)).to.deep.equal(['Job']);
    expect(linksOfProject(links, 'acme')).to.deep.equal([
      { title: 'Project', href: 'https://k/?ns=acme' },
      { title: 'Home', href: 'https://k/' },
    ]);
  });

  it('encode every value, so that none changes the rest of the URL (Q-O10)', () => {
    const [link] = linksOfJob(linksOf({ title: 'a', url: 'https://k/{pod}?x=1' }), {
      ...JOB,
      pod: '../a?b=c&d#"<',
    });
    expect(link?.href).to.equal('https://k/..%2Fa%3Fb%3Dc%26d%23%22%3C?x=1');
  });

  for (const [what, url] of Object.entries({
    'another scheme': 'javascript:alert(1)//{pod}',
    'no scheme': '//k/{pod}',
    'a placeholder in its host': 'https://{namespace}.example.com/',
    credentials: 'https://user:hunter2@k/',
    'an unknown placeholder': 'https://k/{node}',
    'white space': 'https://k/a b',
    'a host that is none': 'https://[/',
    'too many characters': `https://k/${'a'.repeat(2_048)}`,
  }))
    it(`refuse a URL with ${what}, without repeating it (Q-O10)`, () => {
      const refusal = refusalOf(JSON.stringify([{ title: 'Loki', url }]));
      expect(refusal).to.match(/^ConfigError: DASHBOARD_LINKS_JSON: link 1 \(Loki\): the URL /);
      expect(refusal).not.to.contain('hunter2');
    });

  for (const [what, json] of Object.entries({
    'text that is not JSON': '[',
    'an object': '{}',
    'a list of texts': '["https://k"]',
    'a link without a URL': '[{"title":"a"}]',
    'a link with another field': '[{"title":"a","url":"https://k","on":"job"}]',
    'an empty title': '[{"title":" ","url":"https://k"}]',
    'a long title': JSON.stringify([{ title: 'a'.repeat(61), url: 'https://k' }]),
    'too many links': JSON.stringify(Array(21).fill({ title: 'a', url: 'https://k' })),
  }))
    it(`refuse ${what} at the start`, () => {
      expect(refusalOf(json)).to.match(/^ConfigError: DASHBOARD_LINKS_JSON/);
    });
});
