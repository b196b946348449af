import type { HealthTier } from "../../../../shared/fields/tiers.ts";
import {
  bandScores,
  type FactorKey,
  type FactorSettings,
  factorKeys,
  type HealthSettings,
  isLargerBetter,
} from "../../../../shared/health.ts";
import { type Column, Table } from "../../components/table.tsx";
import { nameOfTier } from "../../editing/members.ts";
import { healthSettings as text } from "../../messages/messages.ts";
import { factorNames } from "../account/health-factors.ts";

export type Problems = ReadonlyMap<string | undefined, string>;
type SettingsInputsProps = {
  settings: HealthSettings;
  problems: Problems;
  onChange: (settings: HealthSettings) => void;
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
      title: text.factor,
      isHeading: true,
      cell: (key) => (
        <label class="check">
          <input
            type="checkbox"
            checked={settings.factors[key].enabled}
            onChange={(event) => set(key, { enabled: event.currentTarget.checked })}
          />
          <span>
            {factorNames[key]} <span class="hint below">{text.descriptions[key]}</span>
          </span>
        </label>
      ),
    },
    {
      title: text.weight,
      isNumber: true,
      cell: (key) => (
        <NumberInput
          label={text.weightOf(factorNames[key])}
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
        title: text.points(score),
        isNumber: true,
        cell: (key) => (
          <span class="threshold">
            <span aria-hidden="true">{wordOf(key)}</span>
            <NumberInput
              label={text.pointsOf(factorNames[key], score)}
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
      label={text.factors}
      class="settings stacking"
      columns={columns}
      rows={factorKeys}
      rowClass={(key) => (settings.factors[key].enabled ? undefined : "ended")}
    />
  );
}

/** The word before a threshold. */
function wordOf(key: FactorKey): string {
  if (isLargerBetter(key)) return text.atLeast;
  return key === "openRequests" ? text.upTo : text.under;
}

const setTiers = ["healthy", "attention", "at_risk"] as const satisfies readonly HealthTier[];

/** The lowest score of each tier. */
export function TierInputs({ settings, problems, onChange }: SettingsInputsProps) {
  return (
    <div class="fields tiers">
      {setTiers.map((tier) => (
        <div key={tier} class="field">
          <span aria-hidden="true">{text.tierFrom(nameOfTier(tier))}</span>
          <NumberInput
            label={text.tierFrom(nameOfTier(tier))}
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
