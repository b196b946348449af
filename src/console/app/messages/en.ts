import { account } from "./en/account.ts";
import { accountFilters } from "./en/account-filters.ts";
import { accountSelection } from "./en/account-selection.ts";
import { accounts } from "./en/accounts.ts";
import { components } from "./en/components.ts";
import { contacts } from "./en/contacts.ts";
import { editing } from "./en/editing.ts";
import { fields } from "./en/fields.ts";
import { healthSettings } from "./en/health-settings.ts";
import { importing } from "./en/import.ts";
import { keys } from "./en/keys.ts";
import { layout } from "./en/layout.ts";
import { meetings } from "./en/meetings.ts";
import { organization } from "./en/organization.ts";
import { overview } from "./en/overview.ts";
import { pages } from "./en/pages.ts";
import { palette } from "./en/palette.ts";
import { plots } from "./en/plots.ts";
import { reference } from "./en/reference.ts";
import { requests } from "./en/requests.ts";
import { session } from "./en/session.ts";
import { shell } from "./en/shell.ts";
import { signingIn } from "./en/sign-in.ts";
import { unmatched } from "./en/unmatched.ts";
import { webhooks } from "./en/webhooks.ts";

/** The texts of the console in English, by page. A text with values is a function of them. */
export const en = {
  account,
  accountFilters,
  accountSelection,
  accounts,
  components,
  contacts,
  editing,
  fields,
  healthSettings,
  importing,
  keys,
  layout,
  meetings,
  organization,
  overview,
  pages,
  palette,
  plots,
  reference,
  requests,
  session,
  shell,
  signingIn,
  unmatched,
  webhooks,
};
