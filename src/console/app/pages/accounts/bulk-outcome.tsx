import { attributePrefix } from "../../../../shared/file-fields.ts";
import { formatMember, labelOf } from "../../editing/members.ts";
import { accountSelection as text } from "../../messages/messages.ts";
import { type ListedAttribute, labelOfAttribute, valueText } from "./attribute-text.ts";
import type { BulkChange, BulkOutcome } from "./outcome.ts";

const maxListed = 10;

/** What was done: "3 accounts were changed." */
export function noteOf({ kind }: BulkChange, { changed: { length } }: BulkOutcome): string {
  return kind === "delete" ? text.deleted(length) : text.edited(length);
}

function planOf({ kind }: BulkChange, { changed: { length } }: BulkOutcome): string {
  return kind === "delete" ? text.willDelete(length) : text.willChange(length);
}

/** The values of an edit: "Status becomes Churned." */
function valuesOf(change: BulkChange, attributes: readonly ListedAttribute[]): string[] {
  if (change.kind === "delete") return [];
  return Object.entries(change.members).map(([member, value]) => {
    if (member === "status") return text.becomes(labelOf(member), formatMember(member, value));
    const name = member.slice(attributePrefix.length);
    const attribute = attributes.find((candidate) => candidate.name === name);
    const label = labelOfAttribute(name, attribute?.label);
    return value === null
      ? text.removed(label)
      : text.becomes(label, valueText(String(value), attribute?.type));
  });
}

type OutcomeTextProps = {
  change: BulkChange;
  outcome: BulkOutcome;
  attributes: readonly ListedAttribute[];
  /** Whether it was done; otherwise it is what a dry run says. */
  isDone?: boolean;
};

/** What a change does to the accounts, or did. It has the focus, so that a screen reader reads it. */
export function OutcomeText({ change, outcome, attributes, isDone = false }: OutcomeTextProps) {
  const { changed, same, failures } = outcome;
  return (
    <div class="outcome" tabIndex={-1} ref={focus}>
      {changed.length > 0 && (
        <>
          <p>
            <strong>{isDone ? noteOf(change, outcome) : planOf(change, outcome)}</strong>
          </p>
          {valuesOf(change, attributes).map((line) => (
            <p key={line}>{line}</p>
          ))}
          {!isDone && <Lines lines={changed} />}
        </>
      )}
      {same > 0 && <p class="muted">{text.alreadySo(same)}</p>}
      {failures.length > 0 && (
        <div class="notice problem">
          <p>{isDone ? text.failed(failures.length) : text.willFail(failures.length)}</p>
          <Lines lines={failures.map(({ name, reason }) => text.failure(name, reason))} />
        </div>
      )}
    </div>
  );
}

function focus(element: HTMLElement | null): void {
  element?.focus();
}

/** The first lines, and the number of the others. */
function Lines({ lines }: { lines: readonly string[] }) {
  const others = lines.length - maxListed;
  return (
    <ul>
      {lines.slice(0, maxListed).map((line, i) => (
        <li key={i}>{line}</li>
      ))}
      {others > 0 && <li>{text.more(others)}</li>}
    </ul>
  );
}
