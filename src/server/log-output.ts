type Output = { write(text: string, onWritten: () => void): unknown };
type DropListeners = {
  onLineDropped: () => void;
  /** Called with the number of dropped lines as soon as the reader continues. */
  onContinued: (droppedCount: number) => void;
};

/** The bytes of log lines that wait for the reader of standard error, at most. */
const defaultMaxBytes = 4_194_304;

/** Returns a function that writes lines to `output`, but drops them while too many bytes wait for a slow reader. */
export function writeBounded(
  output: Output,
  { onLineDropped, onContinued }: DropListeners,
  maxBytes = defaultMaxBytes,
): (line: string) => void {
  let waitingBytes = 0;
  let droppedCount = 0;
  return (line) => {
    const bytes = Buffer.byteLength(line);
    if (waitingBytes + bytes > maxBytes) {
      droppedCount += 1;
      onLineDropped();
      return;
    }
    waitingBytes += bytes;
    output.write(line, () => {
      waitingBytes -= bytes;
      if (waitingBytes > 0 || droppedCount === 0) return;
      const count = droppedCount;
      droppedCount = 0;
      onContinued(count);
    });
  };
}
