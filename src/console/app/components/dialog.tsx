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
    const opener = document.activeElement;
    element.current?.showModal();
    // Not before the dialog is removed: until then the browser keeps the focus inside.
    return () => setTimeout(() => opener instanceof HTMLElement && opener.focus());
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

/** A dialog with a form. `onSubmit` sends the request; the dialog closes after it, or shows its problem. */
export function FormDialog({
  title,
  onSubmit,
  onClose,
  ...form
}: {
  title: string;
  submitLabel: string;
  isDangerous?: boolean;
  onSubmit: (values: FormData) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
  /** Another view of an error; undefined for the usual one. */
  describeError?: (error: unknown) => ComponentChildren | undefined;
}) {
  // After it was closed, a request that ends must not close a dialog that was opened meanwhile.
  const isOpen = useRef(true);
  const close = () => {
    if (isOpen.current) onClose();
    isOpen.current = false;
  };
  return (
    <Dialog title={title} onClose={close}>
      <DialogForm
        {...form}
        onSubmit={async (values) => {
          await onSubmit(values);
          close();
        }}
        onCancel={close}
      />
    </Dialog>
  );
}

/** The form of a dialog. `onSubmit` sends the request and closes the dialog; if it throws, the problem is shown. */
export function DialogForm({
  submitLabel,
  isDangerous = false,
  onSubmit,
  onCancel,
  children,
  describeError,
}: {
  submitLabel: string;
  isDangerous?: boolean;
  onSubmit: (values: FormData) => Promise<void>;
  onCancel: () => void;
  children: ComponentChildren;
  describeError?: (error: unknown) => ComponentChildren | undefined;
}) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }): Promise<void> {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    setIsBusy(true);
    setError(undefined);
    await onSubmit(values).catch(setError);
    setIsBusy(false);
  }
  return (
    <form onSubmit={submit}>
      {error !== undefined && (describeError?.(error) ?? <ProblemNotice error={error} />)}
      {children}
      <footer>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class={isDangerous ? "primary danger" : "primary"} disabled={isBusy}>
          {isBusy ? "Saving…" : submitLabel}
        </button>
      </footer>
    </form>
  );
}
