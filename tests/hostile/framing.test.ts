import { expect, test } from "bun:test";
import { connect, exchange, listening, request } from "./socket.ts";

const line = "POST /api/v1/accounts";
const json = ["Host: localhost", "Content-Type: application/json"];
const livez = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";

test("A request with conflicting or invalid framing headers is 400 by Bun, without a body", async () => {
  await listening(async ({ first }, port) => {
    const framings = [
      ["Content-Length: 4", "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: chunked", "Content-Length: 4"],
      ["Content-Length: 4", "Content-Length: 5"],
      ["Content-Length: 0x4"],
      ["Content-Length: -4"],
      ["Content-Length: 4, 5"],
      ["Content-Length: 99999999999999999999999"],
      ["Transfer-Encoding: xchunked"],
      ["Transfer-Encoding: chunked, identity"],
    ];
    for (const framing of framings) {
      const text = request(line, [...json, `x-api-key: ${first.key}`, ...framing], `0\r\n\r\n${livez}`);
      const replies = await exchange(port, text);
      expect([framing, replies.map(({ status }) => status)]).toEqual([framing, [400]]);
    }
  });
});

test("The unread body of a rejected request is not parsed as the next request", async () => {
  await listening(async ({ first }, port) => {
    const length = `Content-Length: ${livez.length}`;
    const key = `x-api-key: ${first.key}`;
    const refused: [number, string, string[]][] = [
      [401, line, [...json, length]],
      [415, line, ["Host: x", "Content-Type: text/plain", key, length]],
      [400, line, ["Host: x/", ...json.slice(1), length]],
      [401, "PUT /api/v1/contacts/external/a", [...json, length]],
      [404, "GET /api/v1/contacts/1", [...json, key, length]],
    ];
    for (const [status, start, headers] of refused) {
      const unread = [`${start} HTTP/1.1`, ...headers, "", livez].join("\r\n");
      const replies = await exchange(port, unread + request("GET /none"));
      expect([start, replies.map((answer) => answer.status)]).toEqual([start, [status, 404]]);
    }
  });
});

test("The body of a DELETE is not parsed as the next request", async () => {
  await listening(async ({ first, account, call }, port) => {
    await account({ name: "Acme", contactName: "Ada" });
    const head = ["DELETE /api/v1/contacts/1 HTTP/1.1", "Host: x", `x-api-key: ${first.key}`];
    const connection = await connect(port);
    connection.send([...head, `Content-Length: ${livez.length}`, "", livez].join("\r\n"));
    await connection.read((text) => text.includes("\r\n\r\n"));
    connection.send(request("GET /none"));
    const replies = (await connection.read()).match(/HTTP\/1\.1 \d+/g);
    expect(replies).toEqual(["HTTP/1.1 204", "HTTP/1.1 404"]);
    connection.close();
    expect((await call("GET", "/api/v1/contacts/1")).status).toBe(404);
  });
});

test("A body over 1 MiB is 413 on a socket, with a content-length and in chunks", async () => {
  await listening(async ({ first }, port) => {
    const headers = [...json, `x-api-key: ${first.key}`];
    const body = `{"name":"a","x":"${"x".repeat(1_048_576)}"}`;
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const text of [
      request(line, [...headers, `Content-Length: ${body.length}`], body),
      request(line, [...headers, "Transfer-Encoding: chunked"], chunks),
    ]) {
      const connection = await connect(port);
      connection.send(text);
      const received = await connection.read((text) => text.includes('"payload_too_large"'));
      expect(received).toStartWith("HTTP/1.1 413 ");
      expect(received).toContain('"code":"payload_too_large"');
      connection.close();
    }
  });
});

test("Without a key, the 401 is sent before the body is received", async () => {
  await listening(async (_, port) => {
    for (const length of ["Content-Length: 1000000", "Transfer-Encoding: chunked"]) {
      const connection = await connect(port);
      connection.send(`${[`${line} HTTP/1.1`, ...json, length].join("\r\n")}\r\n\r\n`);
      expect(await connection.read((text) => text.includes('"code"'))).toStartWith("HTTP/1.1 401 ");
      connection.close();
    }
  });
});

test("A chunked body is read like one with a content-length", async () => {
  await listening(async ({ first }, port) => {
    const headers = [...json, `x-api-key: ${first.key}`, "Transfer-Encoding: chunked"];
    const bytes = '5\r\n{"nam\r\n7\r\ne":"a"}\r\n0\r\n\r\n';
    expect((await exchange(port, request(line, headers, bytes))).map(({ status }) => status)).toEqual([201]);
  });
});

test("Headers of more than 16 kB are 431 by Bun", async () => {
  await listening(async ({ first }, port) => {
    for (const header of [`x-large: ${"x".repeat(20_000)}`, `x-api-key: ${"x".repeat(20_000)}`]) {
      const replies = await exchange(
        port,
        request("GET /api/v1/accounts", ["Host: x", `x-api-key: ${first.key}`, header]),
      );
      expect(replies.map(({ status }) => status)).toEqual([431]);
    }
  });
});

test("A write is not stored when other bytes follow it in the same packet", async () => {
  await listening(async ({ first, account, call }, port) => {
    await account({ name: "Before", externalId: "before", contactName: "Ada" });
    const next = request("GET /livez");
    const tails = ["\r\n", "\n", "\r\n\r\n", "a b\r\n\r\n"];
    const writes: [string, string, string[]][] = [
      ["POST /api/v1/accounts", '{"name":"After"}', [...tails, `\r\n${next}`, next]],
      ["PATCH /api/v1/accounts/1", '{"name":"After"}', tails],
      ["PUT /api/v1/accounts/external/a", '{"name":"After"}', tails],
      ["POST /api/v1/events", '{"events":[{"event":"a","accountId":1}]}', tails],
      ["POST /api/v1/last-seen", '{"items":[{"externalId":"before","lastSeenAt":"2026-01-01"}]}', tails],
      ["DELETE /api/v1/accounts/1", "{}", tails],
    ];
    const readAll = async () => {
      const texts: string[] = [];
      for (const path of [
        "accounts",
        "accounts/1",
        "accounts/1/history",
        "accounts/1/usage",
        "accounts/1/health",
        "events/unmatched",
      ])
        texts.push((await call("GET", `/api/v1/${path}`)).text);
      return texts;
    };
    const before = await readAll();
    for (const [line, body, tails] of writes) {
      const head = [`${line} HTTP/1.1`, ...json, `x-api-key: ${first.key}`];
      const length = [...head, `Content-Length: ${body.length}`, "", ""].join("\r\n");
      const chunked = [...head, "Transfer-Encoding: chunked", "", body.length.toString(16), body, "0"].join(
        "\r\n",
      );
      const packets = [...tails.map((tail) => length + body + tail), `${chunked}\r\nX-Trailer: a\r\n\r\n`];
      for (const packet of packets) {
        const statuses = (await exchange(port, packet)).map(({ status }) => status);
        // Bun closes the connection without a reply when a whole request follows.
        expect([packet, statuses]).toEqual([packet, packet.endsWith(body + next) ? [] : [400]]);
      }
    }
    expect(await readAll()).toEqual(before);
    // The same writes alone are stored.
    for (const [line, body] of writes) {
      const headers = [...json, `x-api-key: ${first.key}`, `Content-Length: ${body.length}`];
      const [reply] = await exchange(port, request(line, headers, body));
      expect([line, Math.floor((reply?.status ?? 0) / 100)]).toEqual([line, 2]);
    }
  });
});
