import { Database } from "bun:sqlite";
import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { storeKey } from "../support/keys.ts";

/** Valid files, from which invalid ones are made. */
export type Originals = {
  /** A database after a clean shutdown. */
  clean: string;
  size: number;
  pageSize: number;
  /** The database after a kill, with a change in its WAL. */
  unclean: string;
  /** The numbers of the used pages that the WAL does not contain. */
  pagesToDamage: readonly number[];
  otherDatabase: string;
};

const now = 1_000;
const clock = () => now;

export async function makeOriginals(path: string): Promise<Originals> {
  const clean = join(path, "clean.db");
  const unclean = join(path, "unclean.db");
  const otherDatabase = join(path, "other.db");
  const engine = openDatabase(clean, { clock, canCreate: true });
  for (let i = 0; i < 300; i += 1) {
    const { id } = await createOrganization(engine, `Organization ${i} ${"x".repeat(100)}`);
    await storeKey(engine, { organizationId: id, name: `Key ${i}`, expiresAt: null });
  }
  await engine.close();
  const client = new Database(clean, { readonly: true });
  const pageSize = Number(pragmaOf(client, "page_size"));
  if (pragmaOf(client, "freelist_count") !== 0) throw new Error("some pages are not in use");
  client.close();
  const running = openDatabase(clean, { clock });
  await createOrganization(running, "In the WAL alone");
  for (const suffix of ["", "-wal"]) copyFileSync(clean + suffix, unclean + suffix);
  await running.close();
  const other = new Database(otherDatabase, { create: true });
  other.run("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)");
  other.run("INSERT INTO customers (name) VALUES ('theirs')");
  other.close();
  const brought = pagesIn(`${unclean}-wal`, pageSize);
  const pages = Array.from({ length: statSync(unclean).size / pageSize }, (_, i) => i + 1);
  const pagesToDamage = pages.filter((page) => !brought.has(page));
  return { clean, size: statSync(clean).size, pageSize, unclean, pagesToDamage, otherDatabase };
}

/** The page numbers in a WAL: after a header of 32 bytes, each page has a header of 24 bytes that begins with its number. */
function pagesIn(wal: string, pageSize: number): Set<number> {
  const bytes = readFileSync(wal);
  const pages = new Set<number>();
  for (let at = 32; at + 24 + pageSize <= bytes.length; at += 24 + pageSize)
    pages.add(bytes.readUInt32BE(at));
  if (pages.size === 0) throw new Error("there is nothing in the WAL");
  return pages;
}

export type Damage = "noise" | "zeros" | "shifted";

/** Overwrites a page. The first page is 1. */
export function damagePage(file: string, page: number, damage: Damage): void {
  const bytes = readFileSync(file);
  const size = bytes.readUInt16BE(16);
  const place = bytes.subarray((page - 1) * size, page * size);
  const before = Buffer.from(place);
  if (damage === "noise") crypto.getRandomValues(place);
  if (damage === "zeros") place.fill(0);
  // As if a disk had written its sectors to wrong positions.
  if (damage === "shifted") Buffer.concat([before.subarray(512), before.subarray(0, 512)]).copy(place);
  if (place.equals(before)) throw new Error(`page ${page} was not damaged`);
  writeFileSync(file, bytes);
}

/** Adds a migration that this version does not have. `whileOpen` is called before the file is closed. */
export function makeNewer(file: string, whileOpen: (suffix: string) => void = () => {}): void {
  const client = new Database(file, { readwrite: true });
  client.run("PRAGMA wal_autocheckpoint = 0");
  const { last } = client
    .query<{ last: number }, []>("SELECT max(version) AS last FROM schema_migrations")
    .get() ?? { last: 0 };
  const insert = client.query(
    "INSERT INTO schema_migrations (version, name, sha256, applied_at) VALUES (?, ?, ?, ?)",
  );
  insert.run(last + 1, "of a later version", "0".repeat(64), now);
  client.run(`PRAGMA user_version = ${last + 1}`);
  for (const suffix of ["", "-wal"]) whileOpen(suffix);
  insert.finalize();
  client.close();
}

function pragmaOf(client: Database, pragma: string): unknown {
  return Object.values(client.query<Record<string, unknown>, []>(`PRAGMA ${pragma}`).get() ?? {})[0];
}
