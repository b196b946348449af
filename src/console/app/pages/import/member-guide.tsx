import { Fragment } from "preact";
import { Card } from "../../components/card.tsx";

const guide = [
  [
    "externalId",
    "The account's id in your own systems. Required: an account with it is updated, else one is created.",
  ],
  ["name", "Required for a new account."],
  ["mrr", "Monthly recurring revenue: a number with a point, such as 1250.5."],
  ["status", "active, onboarding, churned or inactive."],
  ["logoUrl", "An http or https address."],
  ["contactActivityAt", "The last contact: a date such as 2026-05-01, or a date and time."],
  ["attributes.NAME", "Your own fields: a text, a number, or true and false."],
] as const;

/** What a file can have, while none is chosen. */
export function MemberGuide() {
  return (
    <Card title="What can be imported">
      <dl class="facts guide">
        {guide.map(([name, text]) => (
          <Fragment key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
      <p class="hint">
        Columns are recognized by these names, and can be mapped by hand. Commas, semicolons or tabs separate
        the fields; the file is UTF-8 or UTF-16. An empty field changes nothing. An export of the accounts can
        be imported again.
      </p>
    </Card>
  );
}
