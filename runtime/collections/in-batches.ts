/**
 * Runs a task for each item, `atOnce` at a time: the next ones start when all of these have ended. Results are in the order of
 * the items. Rejects with the first error, and then starts no further task.
 */
export async function inBatches<T, R>(
  items: readonly T[],
  atOnce: number,
  task: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += atOnce)
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(task))));
  return results;
}
