import { useState } from "preact/hooks";
import { maxSearchLength } from "../../address.ts";
import { Loaded } from "../../components/card.tsx";
import { useDebounced, useRequest } from "../../use-request.ts";
import { type AccountCandidate, findAccounts } from "./requests.ts";

/** A search as you type, and its first results to choose one of. */
export function AccountChoice({
  chosen,
  onChoose,
}: {
  chosen: AccountCandidate | undefined;
  onChoose: (account: AccountCandidate | undefined) => void;
}) {
  const [text, setText] = useState("");
  const [isWithIds, setIsWithIds] = useState(false);
  const search = useDebounced(text.trim());
  const found = useRequest((signal) => findAccounts({ search, isWithIds }, signal), [search, isWithIds]);
  return (
    <>
      <label class="field">
        <span>Find an account</span>
        <input
          type="search"
          placeholder="Name or external id"
          maxLength={maxSearchLength}
          autocomplete="off"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            onChoose(undefined);
          }}
        />
      </label>
      <label class="row">
        <input
          type="checkbox"
          checked={isWithIds}
          onChange={(event) => {
            setIsWithIds(event.currentTarget.checked);
            onChoose(undefined);
          }}
        />
        Include accounts that have an external id
      </label>
      <fieldset class="choices">
        <legend class="visually-hidden">Account</legend>
        <Loaded state={found} height={10}>
          {(accounts) =>
            accounts.length === 0 ? (
              <p class="hint" role="status">
                No account found.
                {!isWithIds && " Include accounts that have an external id, or create an account."}
              </p>
            ) : (
              accounts.map((account) => (
                <label key={account.id} class="choice">
                  <input
                    type="radio"
                    name="account"
                    required
                    checked={chosen?.id === account.id}
                    onChange={() => onChoose(account)}
                  />
                  <span>{account.name}</span>
                  {account.externalId !== null && <code class="hint">{account.externalId}</code>}
                </label>
              ))
            )
          }
        </Loaded>
      </fieldset>
    </>
  );
}
