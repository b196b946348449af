import type { Variant } from "../../support/variant.ts";

/** What the standby has not received is lost with the primary. */
export const withoutStandby: Variant = {
  name: "a commit does not wait for the standby",
  source: import.meta.path,
  replace: {
    "db/postgres/connections/session.ts": {
      Session: ({ Session }) =>
        class extends Session {
          override async connect(): Promise<void> {
            await super.connect();
            await this.query("select set_config('synchronous_commit', 'local', false)", []);
          }
        },
    },
  },
};
