import type { ComponentChildren } from "preact";
import type { ResourceField } from "../../../shared/fields/field.ts";
import type { HealthTier } from "../../../shared/fields/tiers.ts";
import { formatMember, type MemberValue, nameOfTier, valueLabelsOf } from "../editing/members.ts";
import { formatAge, formatDate, formatTime } from "../format.ts";

/** Null: without a score. */
export type Tier = HealthTier | null;

/** The name of the tier in CSS: `var(--healthy)`. */
export function colorNameOfTier(tier: Tier): string {
  return tier === null ? "unscored" : tier.replace("_", "-");
}

/** A shape for each tier: colour is not the only difference. */
const shapes = {
  healthy: <circle cx="6" cy="6" r="5" />,
  attention: <path d="M6 0 12 6 6 12 0 6Z" />,
  at_risk: <path d="M6 0 12 11H0Z" />,
  critical: <path d="M1 1H11V11H1Z" />,
} as const satisfies Record<string, ComponentChildren>;

export function TierMark({ tier }: { tier: Tier }) {
  return (
    <svg
      class={`tier-mark ${colorNameOfTier(tier)}`}
      viewBox="0 0 12 12"
      width="12"
      height="12"
      aria-hidden="true"
    >
      {tier === null ? <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" /> : shapes[tier]}
    </svg>
  );
}

/** A tier with its shape, its name, and the score if it is known. */
export function TierName({ tier, score }: { tier: Tier; score?: number | null | undefined }) {
  return (
    <span class="tier">
      <TierMark tier={tier} /> {nameOfTier(tier)}
      {score != null && <span class="score"> {Math.round(score)}</span>}
    </span>
  );
}

export const noValue = <span class="muted">–</span>;

/** A timestamp as its age, such as "3 days ago". The title has the time. */
export function Age({ timestamp, class: name }: { timestamp: string | null; class?: string }) {
  if (timestamp === null) return noValue;
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
  { kind, input, hasTime }: ResourceField,
  value: MemberValue | undefined,
): ComponentChildren {
  if (value === undefined || value === null) return noValue;
  if (kind === "choice") return <span class="together">{valueLabelsOf(name)[String(value)] ?? value}</span>;
  if (kind === "timestamp") return <LocalDate class="together" timestamp={String(value)} hasTime={hasTime} />;
  if (input?.format === "email") return <a href={`mailto:${encodeURIComponent(String(value))}`}>{value}</a>;
  return kind === "text" ? value : formatMember(name, value);
}
