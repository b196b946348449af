import { expect, test } from "bun:test";
import { nameOfServer, urlsOfHosts } from "../../db/server-url.ts";

test.each([
  ["postgres://u:p@h/d?a=1", ["postgres://u:p@h/d?a=1"]],
  ["postgresql://h1:1,h2:2/d", ["postgresql://h1:1/d", "postgresql://h2:2/d"]],
  [
    "postgres://u:p,q@h1,[::1]:5433/d?a=,@",
    ["postgres://u:p,q@h1/d?a=,@", "postgres://u:p,q@[::1]:5433/d?a=,@"],
  ],
  ["postgres:///d?host=/run/postgresql", ["postgres:///d?host=/run/postgresql"]],
])("the URLs of the hosts of %j", (text, urls) => {
  expect(urlsOfHosts(text)).toEqual(urls);
});

test.each([
  "data/accountd.db",
  "postgres:h/d",
  "mysql://h/d",
  "postgres://h:port/d",
  "postgres://h1:1,h2:port/d",
  "postgres://u:12/34@h/d",
  "postgres://u:12#34@h/d",
  "postgres://u:12/34@h1:1,h2:2/d",
  "postgres://u:12?34@h/d",
  "postgres://u:12%34%zz@h/d",
  "postgres://u%:12@h/d",
  "postgres://h/d%",
])("%j is no URL of a server", (text) => {
  expect(urlsOfHosts(text)).toBeUndefined();
});

test.each([
  ["postgres://user:secret@h1:5432,h2:5433/d", "postgres://user@h1:5432,h2:5433/d"],
  ["postgres://user:se,cr@et@h/d?sslmode=require", "postgres://user@h/d"],
  ["postgres://h1,h2/d?user=u&password=secret", "postgres://h1,h2/d"],
  ["postgres://:secret@h/d#secret", "The PostgreSQL database"],
  ["postgres://user:1/secret@h/d", "The PostgreSQL database"],
])("the name of %j has no password", (text, name) => {
  expect(nameOfServer(text)).toBe(name);
});
