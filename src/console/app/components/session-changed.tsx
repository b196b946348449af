import { Dialog } from "./dialog.tsx";

/** What another tab has done with the session of this browser. */
export type SessionChange = "other-key" | "signed-out";

const texts: Readonly<Record<SessionChange, string>> = {
  "other-key": "This browser has signed in with another key since. Reload the page.",
  "signed-out": "This browser has signed out since. Reload the page.",
};

/** Says that the page is of an earlier session. It stays behind the dialog: text that was entered can be copied. */
export function SessionChanged({ change, onClose }: { change: SessionChange; onClose: () => void }) {
  return (
    <Dialog title="The session has changed" onClose={onClose}>
      <form method="dialog">
        <p role="alert">{texts[change]}</p>
        <footer>
          <button type="button" class="primary" autofocus onClick={() => location.reload()}>
            Reload
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
