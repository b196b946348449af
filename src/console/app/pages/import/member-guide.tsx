import { Fragment } from "preact";
import { fieldsOf } from "../../../../shared/resources.ts";
import { Card } from "../../components/card.tsx";
import { members } from "./mapping.ts";

const guide = [
  ...members.map((name) => [name, fieldsOf("accounts")[name]?.fileText] as const),
  ["attributes.NAME", "Your own fields: a text, a number, or true and false."] as const,
];

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
