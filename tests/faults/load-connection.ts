import { ReplyReader } from "./reply-reader.ts";

/** A keep-alive connection with one request at a time, which does not store the replies. */
export class LoadConnection {
  socket: Bun.Socket | undefined;
  isOpen = false;
  #unsent: Uint8Array = new Uint8Array();
  #reader = new ReplyReader();
  #waiting: PromiseWithResolvers<{ status: string; size: number }> | undefined;

  send(bytes: Uint8Array): Promise<{ status: string; size: number }> {
    if (!this.isOpen) return Promise.resolve({ status: "no connection", size: 0 });
    this.#waiting = Promise.withResolvers();
    this.#reader = new ReplyReader();
    this.#unsent = bytes;
    this.flush();
    return this.#waiting.promise;
  }

  flush(): void {
    if (this.#unsent.length > 0)
      this.#unsent = this.#unsent.subarray(Math.max(0, this.socket?.write(this.#unsent) ?? 0));
  }

  receive(chunk: Buffer): void {
    if (this.#reader.read(chunk)) this.#waiting?.resolve(this.#reader);
  }

  lose(): void {
    this.isOpen = false;
    this.#waiting?.resolve({ status: "closed", size: this.#reader.size });
  }
}
