import { type Answer, connectTo, requestOf } from "./raw-connection.ts";

/** What clients saw of one run of the program, from its start to its end. */
export class Load {
  /** Set at the moment of the signal. */
  isSignalled = false;
  answered = 0;
  /** Requests that were sent before the signal, and answered after it. */
  answeredAcross = 0;
  /** Requests that were sent after the signal on open connections, and closed without a word. */
  closedLater = 0;
  readonly created = new Set<string>();
  readonly faults: string[] = [];
  readonly #url: string;
  readonly #key: string;
  readonly #name: string;
  #asked = 0;

  constructor(url: string, key: string, name: string) {
    this.#url = url;
    this.#key = key;
    this.#name = name;
  }

  /** Sends one request after another on one connection, until it is closed. */
  async overOne(): Promise<void> {
    const connection = await connectTo(this.#url);
    while (await this.#ask("a kept connection", (request) => connection.send(request)));
  }

  /** Opens a connection for each request, until none is taken any more. */
  async overMany(): Promise<void> {
    for (;;) {
      const connection = await connectTo(this.#url).catch(() => undefined);
      if (!connection) {
        if (!this.isSignalled) this.faults.push("a connection was refused before the signal");
        return;
      }
      const goesOn = await this.#ask("a new connection", (request) => connection.send(request));
      connection.close();
      if (!goesOn) return;
    }
  }

  /** Holds a request open of which half the body never comes. Resolves when the program ends it. */
  async hold(): Promise<void> {
    const connection = await connectTo(this.#url);
    const request = requestOf(this.#key, "POST", "/api/v1/accounts", { name: "Never sent whole" });
    await connection.send(request.slice(0, -9));
  }

  /** Whether it was answered as it must be. */
  async #ask(where: string, send: (request: string) => Promise<Answer>): Promise<boolean> {
    this.#asked += 1;
    const externalId = `${this.#name}-${this.#asked}`;
    const isCreate = this.#asked % 2 === 0;
    const body = { name: `Account ${externalId}`, externalId, contactName: "Ada" };
    const path = `/api/v1/accounts${this.#asked % 4 === 1 ? "?search=account&pageSize=100" : ""}`;
    const request = isCreate
      ? requestOf(this.#key, "POST", "/api/v1/accounts", body)
      : requestOf(this.#key, "GET", path);
    const isBefore = !this.isSignalled;
    const answer = await send(request);
    const what = `${isCreate ? "POST" : "GET"} on ${where} ${isBefore ? "before" : "after"} the signal`;
    if ("cut" in answer) {
      if (answer.cut !== "")
        this.faults.push(`${what}: a part of an answer came: ${answer.cut.slice(0, 80)}`);
      else if (isBefore) this.faults.push(`${what}: sent whole, and closed without an answer`);
      else this.closedLater += 1;
      return false;
    }
    this.answered += 1;
    if (isBefore && this.isSignalled) this.answeredAcross += 1;
    if (answer.status === (isCreate ? 201 : 200)) {
      if (isCreate) this.created.add(externalId);
      return true;
    }
    this.faults.push(`${what}: ${answer.status} ${answer.text}`);
    return false;
  }
}
