import type { HealthTier } from "../../../../shared/fields/tiers.ts";
import {
  bandScores,
  type FactorKey,
  type FactorSettings,
  factorKeys,
  type HealthSettings,
  isLargerBetter,
  nameOfTier,
} from "../../../../shared/health.ts";
import { type Column, Table } from "../../components/table.tsx";
import { factorNames } from "../account/health-factors.ts";

export type Problems = ReadonlyMap<string | undefined, string>;
type SettingsInputsProps = {
  settings: HealthSettings;
  problems: Problems;
  onChange: (settings: HealthSettings) => void;
};

const descriptions: Readonly<Record<FactorKey, string>> = {
  contactActivity: "days since the last activity",
  usageRecency: "days since the last event",
  usageTrend: "events of 14 days, divided by the events of the 14 days before",
  openRequests: "total severity of open requests",
  meetings: "meetings in 180 days",
  requestResolution: "days that requests are open, on average",
};

/** The factors with their weights and thresholds. */
export function FactorInputs({ settings, problems, onChange }: SettingsInputsProps) {
  const set = (key: FactorKey, changes: Partial<FactorSettings>) =>
    onChange({
      ...settings,
      factors: { ...settings.factors, [key]: { ...settings.factors[key], ...changes } },
    });
  const columns: Column<FactorKey>[] = [
    {
      title: "Factor",
      isHeading: true,
      cell: (key) => (
        <label class="check">
          <input
            type="checkbox"
            checked={settings.factors[key].enabled}
            onChange={(event) => set(key, { enabled: event.currentTarget.checked })}
          />
          <span>
            {factorNames[key]} <span class="hint below">{descriptions[key]}</span>
          </span>
        </label>
      ),
    },
    {
      title: "Weight",
      isNumber: true,
      cell: (key) => (
        <NumberInput
          label={`Weight of ${factorNames[key]}`}
          value={settings.factors[key].weight}
          max={100}
          step={1}
          problem={problems.get(`/factors/${key}/weight`)}
          onChange={(weight) => set(key, { weight })}
        />
      ),
    },
    ...bandScores.slice(0, -1).map(
      (score, i): Column<FactorKey> => ({
        title: `Scores ${score}`,
        isNumber: true,
        cell: (key) => (
          <span class="threshold">
            <span aria-hidden="true">{signOf(key)}</span>
            <NumberInput
              label={`${factorNames[key]} that scores ${score}`}
              value={settings.factors[key].thresholds[i] ?? Number.NaN}
              max={10_000}
              step={0.001}
              problem={problems.get(`/factors/${key}/thresholds/${i}`)}
              onChange={(threshold) =>
                set(key, { thresholds: settings.factors[key].thresholds.with(i, threshold) })
              }
            />
          </span>
        ),
      }),
    ),
  ];
  return (
    <Table
      label="Factors"
      class="settings"
      columns={columns}
      rows={factorKeys}
      rowClass={(key) => (settings.factors[key].enabled ? undefined : "ended")}
    />
  );
}

function signOf(key: FactorKey): string {
  if (isLargerBetter(key)) return "≥";
  return key === "openRequests" ? "≤" : "<";
}

const setTiers = ["healthy", "attention", "at_risk"] as const satisfies readonly HealthTier[];

/** The lowest score of each tier. */
export function TierInputs({ settings, problems, onChange }: SettingsInputsProps) {
  return (
    <div class="fields tiers">
      {setTiers.map((tier) => (
        <div key={tier} class="field">
          <span aria-hidden="true">{nameOfTier(tier)} from</span>
          <NumberInput
            label={`${nameOfTier(tier)} from`}
            value={settings.tiers[tier]}
            max={100}
            step={0.1}
            problem={problems.get(`/tiers/${tier}`)}
            onChange={(score) => onChange({ ...settings, tiers: { ...settings.tiers, [tier]: score } })}
          />
        </div>
      ))}
    </div>
  );
}

type NumberInputProps = {
  label: string;
  value: number;
  max: number;
  step: number;
  problem: string | undefined;
  onChange: (value: number) => void;
};

function NumberInput({ label, value, max, step, problem, onChange }: NumberInputProps) {
  return (
    <span>
      <input
        type="number"
        required
        aria-label={label}
        aria-invalid={problem === undefined ? undefined : true}
        value={Number.isNaN(value) ? "" : value}
        {...{ min: 0, max, step }}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
      {problem !== undefined && <span class="field-problem hint">{problem}</span>}
    </span>
  );
}
