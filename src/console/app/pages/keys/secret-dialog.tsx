import { useRef, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { nameOfKey, type RevealedKey } from "./requests.ts";

/** Shows a new key, which the server does not show again. */
export function SecretDialog({ created, onClose }: { created: RevealedKey; onClose: () => void }) {
  return (
    <Dialog title={`Key ${nameOfKey(created)}`} onClose={onClose}>
      {created.key === undefined ? (
        <p>
          The key was created, but the reply with it was lost. Revoke <code>…{created.lastFour}</code> and
          create another key.
        </p>
      ) : (
        <Secret secret={created.key} />
      )}
      <footer>
        <button type="button" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}

function Secret({ secret }: { secret: string }) {
  const [message, setMessage] = useState("");
  const input = useRef<HTMLInputElement>(null);
  async function copy(): Promise<void> {
    input.current?.select();
    setMessage((await copyText(secret)) ? "Copied" : "Copy the selected text by the keyboard.");
  }
  return (
    <>
      <p>Copy the key now. It is not shown again.</p>
      <div class="secret">
        <input
          ref={input}
          aria-label="Key"
          readOnly
          value={secret}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" class="primary" onClick={copy}>
          Copy
        </button>
      </div>
      <p class="hint" role="status">
        {message}
      </p>
    </>
  );
}

/** False if the browser does not allow it, as for pages that are not local and not over TLS. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
