const cleanups: (() => unknown)[] = [];

/** Calls the function after the test, and before the functions of earlier calls. */
export function closeAfterTest(close: () => unknown): void {
  cleanups.unshift(close);
}

/** Closes, ends and removes what tests opened: called after each test of every file, unless another one is running. */
export async function closeAll(): Promise<void> {
  const failures: unknown[] = [];
  for (const close of cleanups.splice(0))
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw new AggregateError(failures, "the cleanup after a test failed");
}
