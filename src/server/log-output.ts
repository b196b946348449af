type Output = { write(text: string, onWritten: () => void): unknown };

/** The bytes of log lines that wait for the reader of standard error, at most. */
const defaultMaxBytes = 4_194_304;

/**
 * Returns a function that writes lines to `output`, but drops them while too many bytes wait for a slow reader.
 * `onDropped` is called with the number of dropped lines as soon as the reader continues.
 */
export function writeBounded(
  output: Output,
  onDropped: (count: number) => void,
  maxBytes = defaultMaxBytes,
): (line: string) => void {
  let waitingBytes = 0;
  let droppedCount = 0;
  return (line) => {
    const bytes = Buffer.byteLength(line);
    if (waitingBytes + bytes > maxBytes) {
      droppedCount += 1;
      return;
    }
    waitingBytes += bytes;
    output.write(line, () => {
      waitingBytes -= bytes;
      if (waitingBytes > 0 || droppedCount === 0) return;
      const count = droppedCount;
      droppedCount = 0;
      onDropped(count);
    });
  };
}
