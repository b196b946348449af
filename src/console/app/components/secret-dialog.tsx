import "../styles/keys.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { components } from "../messages/messages.ts";
import { askBeforeLeaving } from "../router.ts";
import { useEvent } from "../use-event.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";

const text = components.secret;

type SecretDialogProps = {
  title: string;
  /** Undefined: the response with it was lost. */
  secret: string | undefined;
  label: string;
  /** That it is shown once. */
  once: string;
  /** What to do after it was lost. */
  lost: string;
  onClose: () => void;
};

/** Shows a secret, which the server does not show again: only Done closes the dialog. */
export function SecretDialog({ title, secret, label, once, lost, onClose }: SecretDialogProps) {
  useEvent(window, "beforeunload", (event) => event.preventDefault());
  // Back stays on the page, without a question.
  useEffect(() => askBeforeLeaving(() => {}), []);
  return (
    <Dialog title={title} isClosable={false} onClose={onClose}>
      {secret === undefined ? (
        <p>{lost}</p>
      ) : (
        <>
          <p>{once}</p>
          <Secret label={label} secret={secret} />
        </>
      )}
      <footer>
        <button type="button" onClick={onClose}>
          {text.done}
        </button>
      </footer>
    </Dialog>
  );
}

function Secret({ label, secret }: { label: string; secret: string }) {
  const [message, setMessage] = useState("");
  const input = useRef<HTMLInputElement>(null);
  async function copy(): Promise<void> {
    input.current?.select();
    setMessage((await copyText(secret)) ? text.copied : text.notCopied);
  }
  return (
    <>
      <div class="secret">
        <input
          ref={input}
          aria-label={label}
          readOnly
          value={secret}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" class="primary" onClick={copy}>
          <Icon name={message === text.copied ? "check" : "copy"} />
          {text.copy}
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
