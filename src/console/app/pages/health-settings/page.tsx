import "../../styles/health-settings.css";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { defaultHealthSettings, type HealthSettings } from "../../../../shared/health.ts";
import { api } from "../../api.ts";
import { Card, Loaded, PageTitle } from "../../components/layout.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { showSaved } from "../../components/saved-note.tsx";
import { editing, healthSettings as text } from "../../messages/messages.ts";
import { useSession } from "../../session.ts";
import { useAction, useRequest } from "../../use-request.ts";
import { readHealthSummary, type TierTotals } from "../overview/requests.ts";
import { PreviewTable, previewSettings, type SettingsPreview } from "./preview-table.tsx";
import { FactorInputs, type Problems, TierInputs } from "./settings-inputs.tsx";

/** How scores are computed. Only keys with the scope `admin` can store it. */
export function HealthSettingsPage() {
  const state = useRequest(readHealthSummary, []);
  return (
    <>
      <PageTitle title={text.title} />
      <p class="hint lead">{text.lead}</p>
      <Loaded state={state} height={30}>
        {(stored) => <SettingsForm stored={stored} isLoading={state.isLoading} onStored={state.reload} />}
      </Loaded>
    </>
  );
}

/** `isLoading`: what is stored is read again. */
type SettingsFormProps = { stored: TierTotals; isLoading: boolean; onStored: () => void };

function SettingsForm({ stored, isLoading, onStored }: SettingsFormProps) {
  const isAdmin = useSession().can("admin");
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState<HealthSettings>(stored.settings);
  const [preview, setPreview] = useState<SettingsPreview>();
  const { error, isRunning, run: runAction, reset } = useAction();
  const saved = useRef(draft);
  // Before the next input: it changes what is stored now. What was entered since the save stays.
  useLayoutEffect(() => {
    if (draft === saved.current) change(stored.settings);
  }, [stored.tag]);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(stored.settings);

  function change(settings: HealthSettings): void {
    setDraft(settings);
    setPreview(undefined);
    reset();
  }
  async function run(action: () => Promise<void>): Promise<void> {
    if (form.current?.reportValidity()) await runAction(action);
  }
  return (
    <div class="stack">
      <form
        ref={form}
        class="card"
        aria-label={text.form}
        tabIndex={-1}
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            saved.current = draft;
            const params = { header: { "If-Match": stored.tag } };
            await api.PUT("/api/v1/health/settings", { body: draft, params });
            onStored();
            showSaved();
            // The button is disabled then, which loses the focus.
            if (!(document.activeElement instanceof HTMLInputElement)) form.current?.focus();
          });
        }}
      >
        <fieldset class="plain" disabled={!isAdmin}>
          <FactorInputs settings={draft} problems={problemsOf(error)} onChange={change} />
          <p class="hint">{text.rest}</p>
          <TierInputs settings={draft} problems={problemsOf(error)} onChange={change} />
        </fieldset>
        {error !== undefined && <ProblemNotice error={error} />}
        {isAdmin ? (
          <div class="row">
            <button type="submit" class="primary" disabled={isRunning || isLoading || !isChanged}>
              {editing.save}
            </button>
            <button
              type="button"
              disabled={isRunning || !isChanged}
              onClick={() => run(async () => setPreview(await previewSettings(draft)))}
            >
              {text.preview}
            </button>
            <button type="button" disabled={isRunning} onClick={() => change(defaultHealthSettings)}>
              {text.defaults}
            </button>
          </div>
        ) : (
          <p class="hint">{text.readOnly}</p>
        )}
      </form>
      <Card title={preview ? text.previewTiers : text.tiers}>
        <PreviewTable present={stored.tiers} preview={preview} />
      </Card>
    </div>
  );
}

/** The problems of inputs by their pointers. */
function problemsOf(error: unknown): Problems {
  if (!(error instanceof ProblemError)) return new Map();
  return new Map(
    error.errors.flatMap((violation) =>
      "pointer" in violation ? [[violation.pointer, violation.detail]] : [],
    ),
  );
}
