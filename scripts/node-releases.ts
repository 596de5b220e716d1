/** The pure part of node-version.ts and check-node-release.ts: the version of Node in the repository, and Node's release index. */

export interface NodeVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

const VERSION = /^v?(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** @throws Error unless the text is a version of three numbers: it becomes part of commands */
export function parseNodeVersion(text: string): NodeVersion {
  const [, major, minor, patch] = VERSION.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined)
    throw new Error(`${JSON.stringify(text.slice(0, 40))} is not a version of Node such as 24.22.2`);
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

export function nodeVersionText({ major, minor, patch }: NodeVersion): string {
  return `${major}.${minor}.${patch}`;
}

function compare(a: NodeVersion, b: NodeVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

/** One entry of https://nodejs.org/dist/index.json. */
export interface NodeRelease {
  /** Such as `v24.22.2`. */
  readonly version: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly security: boolean;
}

export interface NewerReleases {
  readonly newest: NodeVersion;
  /** Security releases of the line after the given version, newest first. */
  readonly security: readonly (NodeVersion & { readonly date: string })[];
}

/** What the index has of the line of this version. @throws Error if the index does not contain the line */
export function newerReleases(index: readonly NodeRelease[], version: NodeVersion): NewerReleases {
  const line = index
    .map(({ version: text, date, security }) => ({ ...parseNodeVersion(text), date, security }))
    .filter(({ major }) => major === version.major)
    .toSorted((a, b) => compare(b, a));
  const [first] = line;
  if (first === undefined) throw new Error(`the release index has no Node ${version.major}`);
  return {
    newest: compare(first, version) > 0 ? first : version,
    security: line.filter((release) => release.security && compare(release, version) > 0),
  };
}

const IMAGE = /^ARG NODE_IMAGE=node:.*$/gm;
const SENTENCE = /\bNode \d+\.\d+\.\d+\b/g;

/** The text of the Dockerfile with the base image of this version. */
export function withImage(text: string, version: string): string {
  return text.replace(IMAGE, `ARG NODE_IMAGE=node:${version}-slim`);
}

/** The text of docs/release.md, which names one version of Node. */
export function withDocumented(text: string, version: string): string {
  return text.replace(SENTENCE, `Node ${version}`);
}

const ENGINES = /^>=(\d{1,3})\.(\d{1,3})$/;

/** True if `engines` accepts this version, and no line before it. */
export function fitsEngines(engines: string, { major, minor }: NodeVersion): boolean {
  const [, least, leastMinor] = ENGINES.exec(engines) ?? [];
  return Number(least) === major && Number(leastMinor) <= minor;
}
