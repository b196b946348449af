import { useState } from "preact/hooks";
import { currencies } from "../../../../shared/currencies.ts";
import { api } from "../../api.ts";
import { PageTitle } from "../../components/layout.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { showSaved } from "../../components/saved-note.tsx";
import { Select } from "../../components/select.tsx";
import { formatAmountIn, type NumberFormats } from "../../format.ts";
import { editing, organization as text } from "../../messages/messages.ts";
import { useSession } from "../../session.ts";
import { useAction } from "../../use-request.ts";
import { currencyOption, formatOption, suggestedFormats } from "./options.ts";

const exampleAmount = 1_234_567.5;

/** The settings of the organization: its currency and its number format. */
export function OrganizationPage() {
  const { organization, refresh } = useSession();
  const [draft, setDraft] = useState<NumberFormats>({
    currency: organization.currency,
    numberFormat: organization.numberFormat,
  });
  const { error, run } = useAction();
  async function save(): Promise<void> {
    await api.PATCH("/api/v1/organization", { body: draft });
    await refresh();
    showSaved();
  }
  // The stored format need not be a suggested one.
  const tags = [...new Set([null, ...suggestedFormats, organization.numberFormat])];
  return (
    <>
      <PageTitle title={text.title} />
      <p class="hint lead">{text.lead}</p>
      <form
        class="card narrow"
        aria-label={text.form}
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <div class="fields">
          <Select
            label={text.currency}
            options={[["", text.noCurrency], ...currencies.map(currencyOption)]}
            value={draft.currency ?? ""}
            onChange={(code) => setDraft({ ...draft, currency: code === "" ? null : code })}
          />
          <Select
            label={text.numberFormat}
            options={tags.map((tag) => formatOption(tag, exampleAmount))}
            value={draft.numberFormat ?? ""}
            onChange={(tag) => setDraft({ ...draft, numberFormat: tag === "" ? null : tag })}
          />
        </div>
        <label class="field">
          <span>{text.example}</span>
          <output class="example">{formatAmountIn(draft, exampleAmount)}</output>
          <small class="hint">{text.noConversion}</small>
        </label>
        {error !== undefined && <ProblemNotice error={error} />}
        <div class="row">
          <button type="submit" class="primary">
            {editing.save}
          </button>
        </div>
      </form>
    </>
  );
}
