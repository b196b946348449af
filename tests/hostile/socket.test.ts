import { expect, test } from "bun:test";
import { connect, exchange, listening, request } from "./socket.ts";

const accounts = "/api/v1/accounts";
const json = "Content-Type: application/json";

/** Status and problem code of each reply. The code is empty if Bun rejected the request, without a body. */
async function outcomes(port: number, text: string): Promise<[status: number, code: string][]> {
  const replies = await exchange(port, text);
  return replies.map(({ status, body }) => [status, /"code":"(\w+)"/.exec(body)?.[1] ?? ""]);
}

test("An absolute URL in the request line is served by its path", async () => {
  await listening(async (_, port) => {
    expect(await outcomes(port, request("GET http://localhost/livez"))).toEqual([[200, ""]]);
    expect(await outcomes(port, request("GET http://elsewhere/none"))).toEqual([[404, "not_found"]]);
  });
});

test("HEAD returns only the headers of GET", async () => {
  await listening(async ({ first, account }, port) => {
    const { id } = await account({ name: "Acme" });
    for (const [path, key, status] of [
      ["/livez", "", 200],
      [accounts, first.key, 200],
      [`${accounts}/${id}`, first.key, 200],
      [`${accounts}/${id}/contacts`, first.key, 200],
      ["/api/v1/requests", first.key, 200],
      ["/api/v1/meetings/1", first.key, 404],
      [`${accounts}/x`, first.key, 400],
      [accounts, "", 401],
      ["/none", "", 404],
    ] as const) {
      const headers = ["Host: localhost", `x-api-key: ${key}`, "x-request-id: same"];
      const connection = await connect(port);
      connection.send(request(`HEAD ${path}`, headers));
      const head = await connection.read();
      const [get] = await exchange(port, request(`GET ${path}`, headers));
      expect([path, head.split(" ")[1], head.indexOf("\r\n\r\n")]).toEqual([
        path,
        String(status),
        head.length - 4,
      ]);
      expect(/content-length: (\d+)/i.exec(head)?.[1]).toBe(get?.headers.get("content-length"));
    }
  });
});

test("HEAD of an export has no content-length, because the length is not known", async () => {
  await listening(async ({ first, account }, port) => {
    await account({ name: "Acme" });
    for (const format of ["csv", "jsonl"]) {
      const connection = await connect(port);
      const lines = [`HEAD ${accounts}.${format} HTTP/1.1`, "Host: localhost", `x-api-key: ${first.key}`];
      for (let sent = 1; sent <= 2; sent += 1) {
        connection.send([...lines, "", ""].join("\r\n"));
        const heads = await connection.read((text) => text.split("\r\n\r\n").length > sent);
        // The connection serves the next request: the reply has no body.
        expect(heads.match(/HTTP\/1\.1 200 /g)).toHaveLength(sent);
        expect(heads).toEndWith("\r\n\r\n");
        expect(heads).not.toMatch(/^content-length:/im);
      }
    }
  });
});

test("The reply to a DELETE has no body, and its connection serves the next request", async () => {
  await listening(async ({ first, account, call }, port) => {
    const { id } = await account({ name: "Acme" });
    const contact = await call("POST", `${accounts}/${id}/contacts`, { name: "Ada" });
    const removal = get(`/api/v1/contacts/${contact.body.data.id}`, first.key, 1).replace("GET", "DELETE");
    const connection = await connect(port);
    connection.send(removal);
    const answer = await connection.read((text) => text.includes("\r\n\r\n"));
    expect(answer).toStartWith("HTTP/1.1 204 ");
    expect(answer).toEndWith("\r\n\r\n");
    expect(answer).not.toMatch(/^(content-type|content-length|transfer-encoding):/im);
    connection.send(removal);
    const received = await connection.read((text) => text.includes('"not_found"'));
    expect(received.slice(answer.length)).toStartWith("HTTP/1.1 404 ");
    connection.close();
  });
});

test("A URL that is not UTF-8 is rejected", async () => {
  await listening(async ({ first }, port) => {
    const headers = ["Host: localhost", `x-api-key: ${first.key}`];
    const send = (target: string) => outcomes(port, request(`GET ${target}`, headers));
    for (const bytes of ["\xfe", "\xe9", "\xed\xa0\x80"])
      for (const target of [`/api/v1/contacts/external/${bytes}`, `${accounts}?externalId=${bytes}`])
        expect([target, await send(target)]).toEqual([target, [[400, "malformed_url"]]]);
    expect(await send("/api/v1/contacts/external/\xc3\xa9")).toEqual([[404, "not_found"]]);
  });
});

test("Methods without a route are 405; an unknown method is rejected", async () => {
  await listening(async ({ first }, port) => {
    const headers = ["Host: localhost", `x-api-key: ${first.key}`];
    for (const method of ["DELETE", "TRACE", "OPTIONS", "PROPFIND", "CONNECT"])
      expect([method, await outcomes(port, request(`${method} ${accounts}`, headers))]).toEqual([
        method,
        [[405, "method_not_allowed"]],
      ]);
    for (const word of ["get", "FOO", "GETS", "G\0T"]) {
      const replies = await exchange(port, request(`${word} ${accounts}`, headers));
      expect([word, replies.filter(({ status }) => status < 400)]).toEqual([word, []]);
    }
  });
});

test("Pipelined reads and rejected requests get replies in order, until one has to wait for its turn", async () => {
  await listening(async ({ first }, port) => {
    const texts = Array.from({ length: 30 }, (_, i) => [
      get(accounts, first.key, 3 * i),
      get(accounts, "", 3 * i + 1),
      get("/none", first.key, 3 * i + 2),
    ]);
    const last = request("GET /livez", ["Host: x", "x-request-id: 90"]);
    const replies = await exchange(port, texts.flat().join("") + last);
    expect(replies.length).toBeGreaterThan(0);
    expect(replies.length).toBeLessThanOrEqual(91);
    const statuses = [200, 401, 404];
    for (const [i, { status, headers }] of replies.entries()) {
      // Bun replies 400 to a request that follows one without a reply, and closes the connection.
      if (i === replies.length - 1 && status === 400) break;
      const expected = i === 90 ? 200 : statuses[i % 3];
      expect([headers.get("x-request-id"), status]).toEqual([String(i), expected]);
    }
    expect(await outcomes(port, get(accounts, first.key, 0))).toEqual([[200, ""]]);
  });
});

test("Bun closes the connection on a request that is pipelined after a write, and does not run it", async () => {
  await listening(async ({ first, call }, port) => {
    const replies = await exchange(
      port,
      get(accounts, first.key, 0) +
        [1, 2, 3].map((id) => post(first.key, id)).join("") +
        request("GET /livez"),
    );
    expect(replies.map(({ headers }) => headers.get("x-request-id"))).toEqual(["0"]);
    expect((await call("GET", accounts)).body.pagination.total).toBeLessThanOrEqual(1);
  });
});

function get(path: string, key: string, id: number): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nx-request-id: ${id}\r\n\r\n`;
}

function post(key: string, id: number): string {
  const head = get(accounts, key, id).replace("GET", "POST").trimEnd();
  return `${head}\r\n${json}\r\nContent-Length: 12\r\n\r\n{"name":"a"}`;
}
