/** The lines of a stream of text, without their ends. A last line without an end is left out. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    const parts = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = parts.pop() ?? "";
    yield* parts;
  }
}
