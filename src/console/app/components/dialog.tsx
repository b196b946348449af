import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ProblemNotice } from "./problem.tsx";

/** A modal dialog. The browser keeps the focus inside, and closes it by Escape. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

/**
 * A dialog with a form. `onSubmit` sends the request; the dialog closes after it, or shows its problem. `conflict` is
 * shown instead of the problem, where it is not undefined.
 */
export function FormDialog({
  title,
  submitLabel,
  isDangerous = false,
  onSubmit,
  onClose,
  children,
  describeError,
}: {
  title: string;
  submitLabel: string;
  isDangerous?: boolean;
  onSubmit: (values: FormData) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
  /** Another view of an error, such as both versions after a conflict; undefined for the usual one. */
  describeError?: (error: unknown) => ComponentChildren | undefined;
}) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }): Promise<void> {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    setIsBusy(true);
    setError(undefined);
    try {
      await onSubmit(values);
      onClose();
    } catch (failure) {
      setError(failure);
      setIsBusy(false);
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {error !== undefined && (describeError?.(error) ?? <ProblemNotice error={error} />)}
        {children}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? "primary danger" : "primary"} disabled={isBusy}>
            {isBusy ? "Saving…" : submitLabel}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
