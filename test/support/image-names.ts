/** Names of container images as webhooks of a cluster write them. */

export const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** A repository of another registry. */
export const MIRROR = 'mirror.example.com:5000/cache/acme/zipjobs-zipper';

/** Names that mean the tag of the repository, or a digest in it. */
export function namesOf(repository: string, tag: string): readonly string[] {
  return [`${repository}:${tag}`, `${repository}:${tag}@${DIGEST}`, `${repository}@${DIGEST}`];
}

/** Names that look similar but mean something else, or nothing. */
export function otherNames(repository: string, tag: string): readonly string[] {
  return [
    repository,
    `${repository}:latest`,
    `${repository}:latest@${DIGEST}`,
    `${repository}:${tag}.evil`,
    `${repository}:${tag}-evil@${DIGEST}`,
    `${repository}:${tag.replaceAll('.', 'x')}`,
    `${repository}-evil:${tag}`,
    `${repository}/evil:${tag}`,
    `${repository}.evil.example/${repository}:${tag}`,
    `evil/${repository}:${tag}`,
    `evil.example.com/${repository}:${tag}`,
    `evil.example.com:5000/${repository}@${DIGEST}`,
    `user@${repository}:${tag}`,
    `user:password@${repository}:${tag}`,
    `https://${repository}:${tag}`,
    `${repository}@evil.example.com:${tag}`,
    `${repository.toUpperCase()}:${tag}`,
    `${repository}:${tag}@`,
    `${repository}:@${DIGEST}`,
    `${repository}:${tag}@${DIGEST.slice(0, -1)}`,
    `${repository}:${tag}@${DIGEST}0`,
    `${repository}:${tag}@${DIGEST}@${DIGEST}`,
    `${repository}:${tag}@sha256:${'A'.repeat(64)}`,
    `${repository}:${tag}@sha512:${'a'.repeat(128)}`,
    `${repository}@${DIGEST}:${tag}`,
    `${repository}:${tag}:${tag}`,
    `${repository}:${tag}?digest=${DIGEST}`,
    `${repository}:${tag}\n.evil`,
    `evil\n${repository}:${tag}`,
    `|${repository}:${tag}`,
    'evil',
  ];
}
