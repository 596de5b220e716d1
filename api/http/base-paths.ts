/** The interface specification defines the first prefix; its examples use the second. */
const PREFIXES = ['/api', ''] as const;

/** Base paths that the API's description names. A path that ends with /api has the first prefix already. */
export function publicBasePaths(basePath: string): readonly string[] {
  return basePath.endsWith('/api') ? [basePath] : PREFIXES.map((prefix) => `${basePath}${prefix}`);
}

/** Base paths of every resource. Clients inside the cluster, and proxies that remove the base path, do not send it. */
export function servedBasePaths(basePath: string): readonly string[] {
  return [...new Set([...publicBasePaths(basePath), ...PREFIXES])];
}
