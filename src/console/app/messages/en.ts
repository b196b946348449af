import { accountFilters } from "./en/account-filters.ts";
import { accountSelection } from "./en/account-selection.ts";
import { accounts } from "./en/accounts.ts";
import { components } from "./en/components.ts";
import { healthSettings } from "./en/health-settings.ts";
import { importing } from "./en/import.ts";
import { keys } from "./en/keys.ts";
import { overview } from "./en/overview.ts";
import { shell } from "./en/shell.ts";
import { signingIn } from "./en/sign-in.ts";
import { unmatched } from "./en/unmatched.ts";

/** The texts of the console in English, by page. A text with values is a function of them. */
export const en = {
  accountFilters,
  accountSelection,
  accounts,
  components,
  healthSettings,
  importing,
  keys,
  overview,
  shell,
  signingIn,
  unmatched,
};
