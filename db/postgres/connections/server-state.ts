import type { ReservedSQL } from "bun";
import { UnusableDatabase } from "../../errors.ts";

/** The first version with `transaction_timeout`. */
const minVersionNumber = 170_000;

export type ServerState = {
  /** `server_version_num`, such as 180001, and its text. */
  versionNumber: number;
  version: string;
  /** The encoding of the database. */
  encoding: string;
  /** The clock of the server, in milliseconds since 1970 UTC. */
  time: number;
};

/** One round trip: a statement without parameters is not prepared. */
export async function readServerState(connection: ReservedSQL): Promise<ServerState> {
  const [row = []] = await connection
    .unsafe(
      `select current_setting('server_version_num'), current_setting('server_version'),
      current_setting('server_encoding'), floor(extract(epoch from clock_timestamp()) * 1000)::text`,
    )
    .values();
  const [versionNumber, version, encoding, time] = row.map(String);
  return {
    versionNumber: Number(versionNumber),
    version: version ?? "",
    encoding: encoding ?? "",
    time: Number(time),
  };
}

/** Throws UnusableDatabase for an older server, and for a database that cannot store every text. */
export function checkServerState({ versionNumber, version, encoding }: ServerState, name: string): void {
  if (versionNumber < minVersionNumber)
    throw new UnusableDatabase(`PostgreSQL 17 or newer is required; ${name} runs ${version}.`);
  if (encoding !== "UTF8")
    throw new UnusableDatabase(
      `${name} has the encoding ${encoding}. Create the database with TEMPLATE template0 ENCODING 'UTF8'.`,
    );
}
