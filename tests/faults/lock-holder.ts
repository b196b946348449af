import { Database } from "bun:sqlite";

/** A program that has the write lock of the file for this number of milliseconds, and prints a line when it has it. */
const [file, milliseconds] = process.argv.slice(2);
const client = new Database(file, { readwrite: true });
client.run("PRAGMA busy_timeout = 20000");
client.run("BEGIN IMMEDIATE");
console.log("held");
await Bun.sleep(Number(milliseconds));
client.run("COMMIT");
client.close();
