import { type KubeApi, KubeApiError } from '../kube-api.ts';
import type { ConfigSource } from './environment.ts';
import type { KubeConfigMap, KubeSecret } from './pod-types.ts';

type Content = Readonly<Record<string, Buffer>>;

/**
 * Reads Secrets and ConfigMaps as the node. The API server allows that only for those that its pods refer to, and it
 * learns of a new pod a moment after the node. So "forbidden" counts as "not found yet".
 */
export function createApiConfigSource(api: KubeApi): ConfigSource {
  return {
    secret: (namespace, name) =>
      read<KubeSecret>(api, `/api/v1/namespaces/${namespace}/secrets/${name}`, ({ data = {} }) =>
        decoded(data),
      ),
    configMap: (namespace, name) =>
      read<KubeConfigMap>(
        api,
        `/api/v1/namespaces/${namespace}/configmaps/${name}`,
        ({ data = {}, binaryData = {} }) => ({
          ...Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)])),
          ...decoded(binaryData),
        }),
      ),
  };
}

async function read<T>(
  api: KubeApi,
  path: string,
  toContent: (object: T) => Content,
): Promise<Content | undefined> {
  try {
    return toContent(await api.get<T>(path));
  } catch (error) {
    if (error instanceof KubeApiError && (error.code === 404 || error.code === 403)) return undefined;
    throw error;
  }
}

function decoded(data: Readonly<Record<string, string>>): Content {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')]));
}
