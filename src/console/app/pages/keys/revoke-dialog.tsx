import { FormDialog } from "../../components/dialog.tsx";
import { formatAge } from "../../format.ts";
import { useSession } from "../../session.ts";
import { type ListedKey, nameOfKey, revokeKey } from "./requests.ts";

/** Revokes a key after a confirmation. */
export function RevokeDialog({
  apiKey,
  onRevoked,
  onClose,
}: {
  apiKey: ListedKey;
  onRevoked: () => void;
  onClose: () => void;
}) {
  const { key } = useSession();
  async function submit(): Promise<void> {
    await revokeKey(apiKey.id);
    onRevoked();
  }
  return (
    <FormDialog title="Revoke key" submitLabel="Revoke key" isDangerous onSubmit={submit} onClose={onClose}>
      <p>
        <strong>{nameOfKey(apiKey)}</strong> <code>…{apiKey.lastFour}</code> stops working at once and for
        good.{" "}
        {apiKey.lastUsedAt === null
          ? "It was never used."
          : `It was last used ${formatAge(apiKey.lastUsedAt)}.`}
      </p>
      {apiKey.id === key.id && (
        <p class="notice problem">
          You are signed in with this key: revoking it signs you out, here and everywhere.
        </p>
      )}
    </FormDialog>
  );
}
