import { withReadableDatabase } from "../file.ts";

/** A key, as the operator knows it. */
export type KeyName = { id: number; organization: string; name: string; lastFour: string };
/** What happened to keys between a backup and a newer state of the database. */
type KeyDifferences = { created: KeyName[]; revoked: KeyName[] };

type KeyState = KeyName & { hash: string; revokedAt: number | null };

/** Compares the keys of two files; undefined if the keys of the newer file are damaged. Throws UnusableDatabase. */
export function compareKeys(backup: string, newer: string): KeyDifferences | undefined {
  const before = new Map(keysIn(backup).map((key) => [key.hash, key]));
  let after: KeyState[];
  try {
    after = keysIn(newer);
  } catch {
    return undefined;
  }
  const nameOf = ({ id, organization, name, lastFour }: KeyState) => ({ id, organization, name, lastFour });
  return {
    created: after.filter(({ hash }) => !before.has(hash)).map(nameOf),
    revoked: after
      .filter(({ hash, revokedAt }) => revokedAt !== null && before.get(hash)?.revokedAt === null)
      .map(nameOf),
  };
}

function keysIn(file: string): KeyState[] {
  return withReadableDatabase(file, ({ client }) =>
    client
      .query<KeyState, []>(
        `SELECT k.id, o.name AS organization, k.name, k.last_four AS lastFour, k.hash, k.revoked_at AS revokedAt
        FROM api_keys AS k JOIN organizations AS o ON o.id = k.organization_id ORDER BY k.id`,
      )
      .all(),
  );
}
