/**
 * Compares .node-version with Node's release index. Prints `newest=VERSION`, and `security=VERSIONS` of later security releases of the
 * line, as outputs of a workflow; describes them on standard error. Imports no package.
 */
import { type NodeRelease, newerReleases, nodeVersionText } from './node-releases.ts';
import { NODE_VERSION } from './node-version.ts';

const INDEX = process.env['NODE_RELEASE_INDEX'] ?? 'https://nodejs.org/dist/index.json';
const TIME_LIMIT_MS = 30_000;

const response = await fetch(INDEX, { signal: AbortSignal.timeout(TIME_LIMIT_MS) });
if (!response.ok) throw new Error(`${INDEX}: HTTP ${response.status}`);
const { newest, security } = newerReleases((await response.json()) as readonly NodeRelease[], NODE_VERSION);
console.log(`newest=${nodeVersionText(newest)}`);
console.log(`security=${security.map(nodeVersionText).join(' ')}`);
for (const release of security)
  console.error(
    `Node ${nodeVersionText(release)} of ${release.date} is a security release. The images have ${nodeVersionText(NODE_VERSION)}: see docs/release.md`,
  );
