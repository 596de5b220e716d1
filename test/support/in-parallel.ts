/** Runs the task for 0 to count - 1 with limited concurrency. */
export async function inParallel(
  count: number,
  atOnce: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  async function worker(): Promise<void> {
    while (next < count) {
      const index = next;
      next += 1;
      await task(index);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
}
