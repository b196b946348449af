import { type Answer, connectTo, requestOf } from "./raw-connection.ts";

/** Searches in progress. While the index of names is built, the 33rd waiting slow read of an organization returns 503. */
const maxSearches = 16;

/** The observations of clients during one run of the program. */
export class Load {
  /** Set when the signal is sent. */
  isSignalled = false;
  answered = 0;
  /** The number of requests that were sent before the signal and received a reply after it. */
  answeredAcross = 0;
  /** The number of requests that were sent after the signal and whose connections were closed without a reply. */
  closedLater = 0;
  readonly created = new Set<string>();
  readonly faults: string[] = [];
  readonly #url: string;
  readonly #key: string;
  readonly #name: string;
  #asked = 0;
  #searches = 0;

  constructor(url: string, key: string, name: string) {
    this.#url = url;
    this.#key = key;
    this.#name = name;
  }

  /** Sends requests sequentially on one connection until it is closed. */
  async overOne(): Promise<void> {
    const connection = await connectTo(this.#url);
    while (await this.#ask("a kept connection", (request) => connection.send(request)));
  }

  /** Opens a connection for each request until connections are rejected. */
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

  /** Sends a request with half its body. Resolves when the program closes the connection. */
  async hold(): Promise<void> {
    const connection = await connectTo(this.#url);
    const request = requestOf(this.#key, "POST", "/api/v1/accounts", { name: "Never sent whole" });
    await connection.send(request.slice(0, -9));
  }

  /** Whether the reply is as required. */
  async #ask(where: string, send: (request: string) => Promise<Answer>): Promise<boolean> {
    this.#asked += 1;
    const externalId = `${this.#name}-${this.#asked}`;
    const isCreate = this.#asked % 2 === 0;
    const body = { name: `Account ${externalId}`, externalId, contactName: "Ada" };
    const isSearch = this.#asked % 4 === 1 && this.#searches < maxSearches;
    const path = `/api/v1/accounts${isSearch ? "?search=account&pageSize=100" : ""}`;
    const request = isCreate
      ? requestOf(this.#key, "POST", "/api/v1/accounts", body)
      : requestOf(this.#key, "GET", path);
    const isBefore = !this.isSignalled;
    if (isSearch) this.#searches += 1;
    const answer = await send(request).finally(() => {
      if (isSearch) this.#searches -= 1;
    });
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
