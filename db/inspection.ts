/** What `accountd doctor` reads of a database. Times are milliseconds since 1970 UTC. */
export type Inspection = {
  /** The engine and its version, such as `SQLite 3.54.1`. */
  engine: string;
  bytes: number;
  /** When the first organization was created, and the newest time that is stored; null without organizations. */
  createdAt: number | null;
  newestAt: number | null;
  /** Absent for a file. */
  server?: {
    /** The defaults of the role in the database, by their names. */
    settings: Record<string, string>;
    time: number;
    isStandby: boolean;
    /** The connections of all programs. */
    connectionCount: number;
  };
};

export const createdAtSql = "SELECT min(created_at) AS time FROM organizations";
