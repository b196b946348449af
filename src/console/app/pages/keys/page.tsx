import "../../styles/keys.css";
import { useState } from "preact/hooks";
import { Loaded, ShowMore } from "../../components/card.tsx";
import { PageTitle } from "../../components/page-title.tsx";
import { useCursorList } from "../../use-cursor-list.ts";
import { CreateKeyDialog } from "./create-dialog.tsx";
import { type ListedKey, type RevealedKey, readKeys } from "./requests.ts";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { KeyTable } from "./table.tsx";

/** The API keys of the organization. */
export function KeysPage() {
  const list = useCursorList(readKeys, [], 50);
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<RevealedKey>();
  const [revoked, setRevoked] = useState<ListedKey>();
  return (
    <>
      <PageTitle title="Keys">
        <button type="button" class="primary" onClick={() => setIsCreating(true)}>
          Create key
        </button>
      </PageTitle>
      <p class="hint lead">
        A key gives access to the data of this organization, as far as its scopes allow. Revoked and expired
        keys stay in the list.
      </p>
      <section class="card" aria-label="Keys">
        <Loaded state={list} height={12}>
          {({ rows }) => (
            <>
              <KeyTable keys={rows} onRevoke={setRevoked} />
              <ShowMore list={list} noun="keys" />
            </>
          )}
        </Loaded>
      </section>
      {isCreating && (
        <CreateKeyDialog
          onCreated={(key) => {
            setCreated(key);
            list.reload();
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
      {created && !isCreating && <SecretDialog created={created} onClose={() => setCreated(undefined)} />}
      {revoked && (
        <RevokeDialog apiKey={revoked} onRevoked={list.reload} onClose={() => setRevoked(undefined)} />
      )}
    </>
  );
}
