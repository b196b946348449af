/** The value of the promise, or `late` after this time. Leaves no timer, which would keep the process running. */
export async function withTimeLimit<Value, Late>(
  milliseconds: number,
  promise: Value | Promise<Value>,
  late: Late,
): Promise<Value | Late> {
  const timer = Promise.withResolvers<Late>();
  const timeout = setTimeout(timer.resolve, milliseconds, late);
  try {
    return await Promise.race([promise, timer.promise]);
  } finally {
    clearTimeout(timeout);
  }
}
