import { createHash, randomInt } from 'node:crypto';
import { GROUP_VERSION } from '#crds/api-group.ts';
import { generateToken, hashToken, isToken, maskToken } from '#crds/api-token.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import {
  MAX_TOKEN_FRESH_MS,
  PERMISSIONS,
  type Permission,
  TOKEN_LIMIT,
  type ZipToken,
} from '#crds/zip-token.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import { requiredProject } from './changes/required-project.ts';
import { AdministrationError, hasCode, invalidInput } from './errors/administration-error.ts';
import { checkDisplayName } from './projects/project-input.ts';

export interface TokensOptions {
  readonly projects: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly tokens: Pick<ObjectClient<ZipToken>, 'list' | 'create' | 'delete'>;
  readonly clock: Clock;
  /** The user name according to the API server; undefined if it does not report one. */
  readonly whoAmI: () => Promise<string | undefined>;
}

/** A token for display. The token value is not stored. */
export interface Token {
  /** Never changes. */
  readonly id: string;
  readonly name: string | null;
  /** First and last four characters. */
  readonly masked: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: string | null;
  readonly createdBy: string | null;
  readonly lastUsedAt: string | null;
}

export interface NewToken {
  readonly name?: string | undefined;
  /** Default: all. */
  readonly permissions?: readonly string[] | undefined;
  /** UUID of a form: sending it twice creates one token. */
  readonly form?: string;
}

/** The value is available only at creation. */
export type CreatedToken = Token & { readonly value: string };

export interface Rotation {
  readonly created: CreatedToken;
  /** Stays valid until it is revoked. */
  readonly old: Token;
}

/** The API tokens of one project. Tokens are looked up by id, or by name if the name is unique. */
export interface Tokens {
  list(): Promise<readonly Token[]>;
  /** @throws AdministrationError InvalidInput, NotFound, AlreadyExists; Refused if the project has 500 tokens */
  create(token: NewToken): Promise<CreatedToken>;
  /** When it returns, no API process accepts the token any more. Cannot be undone. @throws AdministrationError NotFound, Conflict */
  revoke(idOrName: string): Promise<Token>;
  /** Creates a token with the name and permissions of the old one, which stays valid. @throws AdministrationError NotFound */
  rotate(idOrName: string): Promise<Rotation>;
  /** @throws AdministrationError NotFound, Conflict if the name is not unique */
  find(idOrName: string): Promise<Token>;
}

const SUFFIX_ALPHABET = 'bcdfghjkmnpqrstvwxz23456789';
const SUFFIX_LENGTH = 6;
const MAX_SLUG = 40;

/** The same for the same form. */
function suffixOf(form: string | undefined): string {
  function letter(index: number): string {
    return SUFFIX_ALPHABET.charAt(index % SUFFIX_ALPHABET.length);
  }
  if (form === undefined)
    return Array.from({ length: SUFFIX_LENGTH }, () => letter(randomInt(SUFFIX_ALPHABET.length))).join('');
  const digest = createHash('sha256').update(`zipjobs token ${form}`).digest();
  return Array.from({ length: SUFFIX_LENGTH }, (_, n) => letter(digest.readUInt32BE(4 * n))).join('');
}

/** A readable, unique object name. */
function newId({ name, form }: NewToken): string {
  const slug = (name ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replaceAll(/^-|-$/g, '');
  return `${slug === '' ? 'token' : slug}-${suffixOf(form)}`;
}

function isPermission(text: string): text is Permission {
  return PERMISSIONS.some((permission) => permission === text);
}

function checkPermissions(given: readonly string[] = PERMISSIONS): readonly Permission[] {
  const permissions = [...new Set(given)].filter(isPermission);
  if (permissions.length === 0 || permissions.length < new Set(given).size)
    throw invalidInput('permissions', `Invalid permissions. Use one or more of: ${PERMISSIONS.join(', ')}`);
  return permissions;
}

function toToken({ metadata, spec, status }: ZipToken): Token {
  return {
    id: metadata.name,
    name: spec.displayName ?? null,
    masked: spec.masked,
    permissions: spec.permissions,
    createdAt: metadata.creationTimestamp ?? null,
    createdBy: spec.createdBy ?? null,
    lastUsedAt: status?.lastUsedAt ?? null,
  };
}

/** The API would not accept one more token. Users who may not list them are not stopped here. */
async function refuseBeyondLimit({ tokens }: TokensOptions, namespace: string): Promise<void> {
  const all = await tokens.list({ namespace }).catch((error: unknown) => {
    if (hasCode(error, 'Forbidden')) return [];
    throw error;
  });
  if (all.length < TOKEN_LIMIT) return;
  throw new AdministrationError(
    `Project "${namespace}" has ${all.length} access tokens, and the API accepts ${TOKEN_LIMIT}. Revoke tokens that nobody uses, then create the new one`,
    { code: 'Refused' },
  );
}

async function store(options: TokensOptions, namespace: string, token: NewToken): Promise<CreatedToken> {
  checkDisplayName('name', token.name);
  const permissions = checkPermissions(token.permissions);
  await requiredProject(options.projects, namespace);
  await refuseBeyondLimit(options, namespace);
  const createdBy = await options.whoAmI();
  const value = generateToken();
  const id = newId(token);
  const created = await options.tokens.create({
    apiVersion: GROUP_VERSION,
    kind: 'ZipToken',
    metadata: { namespace, name: id },
    spec: {
      sha256: hashToken(namespace, value),
      masked: maskToken(value),
      permissions,
      ...defined({ displayName: token.name, createdBy }),
    },
  });
  if (created) return { ...toToken(created), value };
  if (token.form !== undefined)
    throw new AdministrationError(
      `This form was sent before and has created the access token "${id}", whose value is shown only once. If you did not see it, revoke that token, then create another one`,
      { code: 'AlreadyExists' },
    );
  throw new AdministrationError('The random id of the new token is already in use. Try again', {
    code: 'Conflict',
  });
}

function oldestFirst(a: ZipToken, b: ZipToken): number {
  const [left = '', right = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (left === right) return a.metadata.name < b.metadata.name ? -1 : 1;
  return left < right ? -1 : 1;
}

async function find({ tokens }: TokensOptions, namespace: string, idOrName: string): Promise<ZipToken> {
  if (isToken(idOrName))
    throw invalidInput(
      'token',
      'This is the value of a token. Use the id of the token instead (zipjobs token list)',
    );
  const all = await tokens.list({ namespace });
  const byId = all.find(({ metadata }) => metadata.name === idOrName);
  if (byId) return byId;
  const [first, ...others] = all.filter(({ spec }) => spec.displayName === idOrName);
  if (!first)
    throw new AdministrationError(`Token "${idOrName.slice(0, 128)}" not found in project "${namespace}"`, {
      code: 'NotFound',
      commandHint: `List the tokens with: zipjobs token list -n ${namespace}`,
    });
  if (others.length === 0) return first;
  const ids = [first, ...others].map(({ metadata }) => metadata.name).join(', ');
  throw new AdministrationError(`Several tokens are named "${idOrName}". Use one of these ids: ${ids}`, {
    code: 'Conflict',
  });
}

export function createTokens(options: TokensOptions, namespace: string): Tokens {
  return {
    list: async () => {
      await requiredProject(options.projects, namespace);
      return (await options.tokens.list({ namespace })).toSorted(oldestFirst).map(toToken);
    },
    find: async (idOrName) => toToken(await find(options, namespace, idOrName)),
    create: (token) => store(options, namespace, token),
    revoke: async (idOrName) => {
      const token = await find(options, namespace, idOrName);
      await options.tokens.delete(namespace, token.metadata.name, { uid: uidOf(token) });
      // An API process whose watch is late accepts the token until it verifies it again.
      await pause(options.clock, MAX_TOKEN_FRESH_MS, new AbortController().signal);
      return toToken(token);
    },
    rotate: async (idOrName) => {
      const old = toToken(await find(options, namespace, idOrName));
      const { permissions } = old;
      const created = await store(options, namespace, { permissions, name: old.name ?? undefined });
      return { created, old };
    },
  };
}
