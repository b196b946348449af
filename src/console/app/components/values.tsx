import type { ComponentChildren } from "preact";
import type { ResourceField } from "../../../shared/fields/field.ts";
import { formatMember, type MemberValue } from "../editing/members.ts";
import { formatAge, formatDate, formatTime } from "../format.ts";

/** A timestamp as its age, such as "3 days ago". The title has the time. */
export function Age({ timestamp, class: name }: { timestamp: string; class?: string }) {
  return (
    <time class={name} dateTime={timestamp} title={formatTime(timestamp)}>
      {formatAge(timestamp)}
    </time>
  );
}

type LocalDateProps = { timestamp: string; hasTime?: boolean | undefined; class?: string };

/** A timestamp as its local date, with `hasTime` also its time. The title has both. */
export function LocalDate({ timestamp, hasTime = false, class: name }: LocalDateProps) {
  return (
    <time class={name} dateTime={timestamp} title={formatTime(timestamp)}>
      {hasTime ? formatTime(timestamp) : formatDate(timestamp)}
    </time>
  );
}

/** The value of a field on the screen, by the kind of the field. */
export function fieldValue(
  name: string,
  { kind, valueLabels, input, hasTime }: ResourceField,
  value: MemberValue | undefined,
): ComponentChildren {
  if (value === undefined || value === null) return <span class="muted">–</span>;
  if (kind === "choice") return <span class="together">{valueLabels?.[String(value)] ?? value}</span>;
  if (kind === "timestamp") return <LocalDate class="together" timestamp={String(value)} hasTime={hasTime} />;
  if (input?.format === "email") return <a href={`mailto:${encodeURIComponent(String(value))}`}>{value}</a>;
  return kind === "text" ? value : formatMember(name, value);
}
