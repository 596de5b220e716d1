import { randomUUID } from 'node:crypto';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import {
  type Change,
  type KubeObject,
  type ObjectClient,
  objectKey,
  type Reflector,
} from '#runtime/kube/types.ts';

/**
 * Objects of one kind in memory, for unit tests of code that uses the Kubernetes client: no schema, no
 * admission, no field managers. Anything that depends on the API server's checks belongs in an integration
 * test.
 */
export interface FakeObjects<T extends KubeObject, Kept extends KubeObject = T> {
  readonly client: ObjectClient<T>;
  /** A cache of the same objects; while `lagging` it does not change. */
  readonly reflector: Reflector<Kept>;
  /** Calls of the client so far, such as `get default/a`. */
  readonly calls: string[];
  put(object: T): T;
  remove(namespace: string, name: string): void;
  all(): readonly T[];
  /** Every later call of the client (or those for which `when` is true) throws this; undefined stops it. */
  fail(error: Error | undefined, when?: (call: string) => boolean): void;
  /** The next creates succeed, but their responses are lost. */
  loseResponses(count: number): void;
  /** Later calls of the client wait for the promise. */
  holdUntil(promise: Promise<unknown> | undefined): void;
  /** The cache no longer receives changes. */
  lagging: boolean;
  /** The cache receives all missed changes. */
  catchUp(): void;
  /** Saves the content of the cache; the returned function restores it. */
  remember(): () => void;
  hasSynced: boolean;
  isInterrupted: boolean;
}

export interface FakeObjectsOptions<Kept> {
  readonly indexes?: Readonly<Record<string, (object: Kept) => readonly string[]>>;
  /** Called for every change of the cache unless it lags. */
  readonly onChange?: (change: Change<Kept>) => void;
}

/** The part of an object that the cache keeps. */
type ToKept<T, Kept> = (object: T) => Kept;

/** The error when the API server cannot be reached. */
export function unreachable(): KubeError {
  return new KubeError('the connection to the API server failed (ECONNREFUSED)', {
    attempt: 'GET /',
    code: 'Unreachable',
  });
}

/** The error when a webhook of a policy engine refuses an object. */
export function refusedByWebhook(): KubeError {
  return new KubeError('admission webhook "require-team" denied the request: the label team is missing', {
    attempt: 'POST /',
    code: 'BadRequest',
    httpStatus: 400,
    policy: 'require-team',
  });
}

type Visible = Pick<FakeObjects<KubeObject>, 'lagging' | 'hasSynced' | 'isInterrupted'>;

/** The stored objects and what the cache has received of them. */
function createStore<T extends KubeObject, Kept extends KubeObject>(
  toKept: ToKept<T, Kept>,
  options: FakeObjectsOptions<Kept>,
  visible: Visible,
) {
  const stored = new Map<string, T>();
  const cached = new Map<string, Kept>();
  let version = 0;

  function stamp(object: T): T {
    version += 1;
    const metadata = { uid: randomUUID(), ...object.metadata, resourceVersion: String(version) };
    return { ...structuredClone(object), metadata };
  }

  function keep(key: string, object: Kept): void {
    const before = cached.get(key);
    cached.set(key, object);
    options.onChange?.({ kind: 'set', key, object, before });
  }

  function put(object: T): T {
    const stamped = stamp(object);
    stored.set(objectKey(stamped), stamped);
    if (!visible.lagging) keep(objectKey(stamped), toKept(stamped));
    return stamped;
  }

  function drop(key: string): boolean {
    const before = visible.lagging ? undefined : cached.get(key);
    if (before !== undefined) {
      cached.delete(key);
      options.onChange?.({ kind: 'deleted', key, before });
    }
    return stored.delete(key);
  }

  return { stored, cached, put, drop };
}

type Store<T extends KubeObject> = Pick<
  ReturnType<typeof createStore<T, KubeObject>>,
  'stored' | 'put' | 'drop'
>;

function notFaked(): never {
  throw new Error('the fake does not support this call: test it with a real API server');
}

/** A client of the stored objects; a test can make its calls fail or wait, or lose their responses. */
function createClient<T extends KubeObject>(
  store: Store<T>,
): Pick<FakeObjects<T>, 'client' | 'calls' | 'fail' | 'loseResponses' | 'holdUntil'> {
  const calls: string[] = [];
  let failure: { error: Error; when: (call: string) => boolean } | undefined;
  let held: Promise<unknown> | undefined;
  let responsesToLose = 0;

  async function call(name: string, signal?: AbortSignal): Promise<void> {
    calls.push(name);
    await held;
    signal?.throwIfAborted();
    if (failure?.when(name) === true) throw failure.error;
  }

  const client: ObjectClient<T> = {
    get: async (namespace, name, signal) => {
      await call(`get ${namespace}/${name}`, signal);
      return store.stored.get(`${namespace}/${name}`);
    },
    list: async (listOptions = {}) => {
      await call('list', listOptions.signal);
      return [...store.stored.values()].filter(
        ({ metadata }) => listOptions.namespace === undefined || metadata.namespace === listOptions.namespace,
      );
    },
    create: async (object, createOptions = {}) => {
      await call(`create ${objectKey(object)}`, createOptions.signal);
      const created = store.stored.has(objectKey(object)) ? undefined : store.put(object);
      responsesToLose -= 1;
      if (responsesToLose >= 0) throw unreachable();
      return created;
    },
    mergePatch: async (target, patch, signal) => {
      await call(`patch ${target.namespace}/${target.name} ${JSON.stringify(patch)}`, signal);
      const before = store.stored.get(`${target.namespace}/${target.name}`);
      if (before === undefined)
        throw new KubeError('not found', { attempt: 'PATCH', code: 'NotFound', httpStatus: 404 });
      return store.put({ ...before, ...patch });
    },
    delete: async (namespace, name, deleteOptions = {}) => {
      await call(`delete ${namespace}/${name}`, deleteOptions.signal);
      return store.drop(`${namespace}/${name}`);
    },
    apply: notFaked,
    replace: notFaked,
  };

  return {
    client,
    calls,
    fail: (error, when = () => true) => {
      failure = error === undefined ? undefined : { error, when };
    },
    loseResponses: (count) => {
      responsesToLose = count;
    },
    holdUntil: (promise) => {
      held = promise;
    },
  };
}

export function createFakeObjects<T extends KubeObject>(options: FakeObjectsOptions<T> = {}): FakeObjects<T> {
  return createFakeObjectsKeptAs((object: T) => object, options);
}

/** The same with a cache that keeps only a part of each object. */
export function createFakeObjectsKeptAs<T extends KubeObject, Kept extends KubeObject>(
  toKept: ToKept<T, Kept>,
  options: FakeObjectsOptions<Kept> = {},
): FakeObjects<T, Kept> {
  const visible: Visible = { lagging: false, hasSynced: true, isInterrupted: false };
  const store = createStore(toKept, options, visible);
  const { stored, cached } = store;

  function inIndex(index: string, value: string): readonly Kept[] {
    return [...cached.values()].filter(
      (object) => options.indexes?.[index]?.(object).includes(value) === true,
    );
  }
  const reflector: Reflector<Kept> = {
    run: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve();
        });
      }),
    synced: () => Promise.resolve(),
    get hasSynced() {
      return visible.hasSynced;
    },
    get isInterrupted() {
      return visible.isInterrupted;
    },
    get: (key) => cached.get(key),
    keys: () => cached.keys(),
    values: () => cached.values(),
    keysByIndex: (...at) => reflector.byIndex(...at).map(objectKey),
    byIndex: (index, namespace, value) =>
      inIndex(index, value).filter(({ metadata }) => metadata.namespace === namespace),
    keysByClusterIndex: (...at) => reflector.byClusterIndex(...at).map(objectKey),
    byClusterIndex: (index, value) => inIndex(index, value),
    identity: () => undefined,
    identityKeys: () => [].values(),
    leftOut: () => 0,
    isIncomplete: () => false,
    refill: () => undefined,
    silenceMs: () => 0,
  };

  return Object.assign(visible, createClient(store), {
    reflector,
    put: store.put,
    remove: (namespace: string, name: string) => {
      store.drop(`${namespace}/${name}`);
    },
    all: () => [...stored.values()],
    catchUp: () => {
      cached.clear();
      for (const [key, object] of stored) cached.set(key, toKept(object));
    },
    remember: () => {
      const then = new Map(cached);
      return () => {
        cached.clear();
        for (const [key, object] of then) cached.set(key, object);
      };
    },
  });
}
