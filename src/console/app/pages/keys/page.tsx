import "../../styles/keys.css";
import { useState } from "preact/hooks";
import { Loaded } from "../../components/card.tsx";
import { Pager, useCursorPages } from "../../components/cursor-pager.tsx";
import { PageTitle } from "../../components/page-title.tsx";
import { useRequest } from "../../use-request.ts";
import { CreateKeyDialog } from "./create-dialog.tsx";
import { type ListedKey, type RevealedKey, readKeys } from "./requests.ts";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { KeyTable } from "./table.tsx";

/** The API keys of the organization. */
export function KeysPage() {
  const pages = useCursorPages("");
  const list = useRequest((signal) => readKeys(pages.cursor, signal), [pages.cursor]);
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
          {({ keys, nextCursor }) => (
            <>
              <KeyTable keys={keys} onRevoke={setRevoked} />
              <Pager pages={pages} nextCursor={nextCursor} label="Pages of keys" />
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
