import type { ComponentChildren } from "preact";
import { Popover } from "../../components/popover.tsx";
import { TierMark } from "../../components/tier.tsx";
import { statuses, statusNames } from "../../statuses.ts";
import { tierFilterNames } from "./describe.ts";
import { FilterForm } from "./filter-form.tsx";
import { changeView, type LastContact, numberOf, rangeFault, tierNames, type View } from "./view.ts";

type FilterProps = { view: View; onChange: (view: View) => void };

export function StatusFilter({ view, onChange }: FilterProps) {
  return (
    <Popover label="Status" isActive={view.statuses.length > 0}>
      {() => (
        <Choices
          legend="Status"
          options={statuses.map((status) => [status, statusNames[status]] as const)}
          chosen={view.statuses}
          onChange={(chosen) => onChange(changeView(view, { statuses: chosen }))}
        />
      )}
    </Popover>
  );
}

export function TierFilterChoice({ view, onChange }: FilterProps) {
  const options = tierNames.map((tier) => {
    const mark = <TierMark tier={tier === "none" ? null : tier} />;
    return [
      tier,
      <>
        {mark} {tierFilterNames[tier]}
      </>,
    ] as const;
  });
  return (
    <Popover label="Tier" isActive={view.tiers.length > 0}>
      {() => (
        <Choices
          legend="Health tier"
          options={options}
          chosen={view.tiers}
          onChange={(chosen) => onChange(changeView(view, { tiers: chosen }))}
        />
      )}
    </Popover>
  );
}

/** Check boxes. Each change takes effect at once. */
function Choices<Name extends string>({
  legend,
  options,
  chosen,
  onChange,
}: {
  legend: string;
  options: readonly (readonly [Name, ComponentChildren])[];
  chosen: readonly Name[];
  onChange: (chosen: Name[]) => void;
}) {
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {options.map(([name, title]) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
            }
          />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function MrrFilter({ view, onChange }: FilterProps) {
  const { mrrFrom, mrrTo } = view;
  function apply(values: FormData): string | undefined {
    const range = { mrrFrom: numberIn(values, "from"), mrrTo: numberIn(values, "to") };
    const fault = rangeFault(range);
    if (fault === undefined) onChange(changeView(view, range));
    return fault;
  }
  return (
    <FilterForm
      initial={`${mrrFrom} ${mrrTo}`}
      label="MRR"
      isActive={mrrFrom !== undefined || mrrTo !== undefined}
      initialFault={rangeFault(view)}
      onSubmit={apply}
    >
      {(problem) => (
        <div class="fields pair">
          <label class="field">
            <span>MRR from</span>
            <input {...problem} type="number" step="any" name="from" defaultValue={mrrFrom} />
          </label>
          <label class="field">
            <span>MRR to</span>
            <input {...problem} type="number" step="any" name="to" defaultValue={mrrTo} />
          </label>
        </div>
      )}
    </FilterForm>
  );
}

function numberIn(values: FormData, name: string): number | undefined {
  return numberOf(String(values.get(name) ?? ""));
}

const contactKinds = [
  ["any", "Any time"],
  ["within", "Within the last days"],
  ["over", "More than days ago"],
  ["never", "Never"],
] as const;
const defaultDays = 30;

export function LastContactFilter({ view, onChange }: FilterProps) {
  const { lastContact } = view;
  const days = lastContact && "days" in lastContact ? lastContact.days : defaultDays;
  function read(values: FormData): LastContact | undefined {
    const kind = values.get("kind");
    if (kind === "never") return { kind };
    return kind === "over" || kind === "within"
      ? { kind, days: numberIn(values, "days") ?? days }
      : undefined;
  }
  return (
    <FilterForm
      initial={`${lastContact?.kind} ${days}`}
      label="Last contact"
      isActive={lastContact !== undefined}
      onSubmit={(values) => {
        onChange(changeView(view, { lastContact: read(values) }));
        return undefined;
      }}
    >
      {() => (
        <>
          <fieldset class="checks">
            <legend>Last contact</legend>
            {contactKinds.map(([kind, title]) => (
              <label key={kind}>
                <input
                  type="radio"
                  name="kind"
                  value={kind}
                  defaultChecked={kind === (lastContact?.kind ?? "any")}
                />
                <span>{title}</span>
              </label>
            ))}
          </fieldset>
          <label class="field">
            <span>Days</span>
            <input type="number" name="days" min={1} max={3650} step={1} required defaultValue={days} />
          </label>
        </>
      )}
    </FilterForm>
  );
}
