import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { FieldProblemsContext, hasInput, memberOfInput } from "../editing/form-field.tsx";
import {
  type FieldProblems,
  type FormProblem,
  formProblemOf,
  withoutField,
} from "../editing/form-problem.ts";
import { ProblemNotice } from "./problem.tsx";

const noProblems: FieldProblems = new Map();

type DialogProps = { title: string; onClose: () => void; children: ComponentChildren };

/** A modal dialog. The browser keeps the focus inside, and closes it by Escape. */
export function Dialog({ title, onClose, children }: DialogProps) {
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

type DialogFormProps = {
  submitLabel: string;
  isDangerous?: boolean;
  onSubmit: (values: FormData) => Promise<void>;
  onCancel: () => void;
  children: ComponentChildren;
  /** Another view of an error; undefined for the usual one. */
  describeError?: (error: unknown) => ComponentChildren | undefined;
};
type FormDialogProps = Omit<DialogFormProps, "onCancel"> & { title: string; onClose: () => void };

/** A dialog with a form. `onSubmit` sends the request; the dialog closes after it, or shows its problem. */
export function FormDialog({ title, onSubmit, onClose, ...form }: FormDialogProps) {
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
}: DialogFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<{ error: unknown; problem: FormProblem | undefined }>();
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [failure?.error]);
  /** Removes the problem of a field that is corrected, and the notice after the last one. */
  function onInput({ target }: Event): void {
    const member = memberOfInput(target);
    if (!failure?.problem?.fields.has(member)) return;
    const problem = withoutField(failure.problem, member);
    setFailure(problem && { ...failure, problem });
  }
  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }): Promise<void> {
    event.preventDefault();
    const { currentTarget } = event;
    setIsBusy(true);
    setFailure(undefined);
    try {
      await onSubmit(new FormData(currentTarget));
    } catch (error) {
      setFailure({ error, problem: formProblemOf(error, (member) => hasInput(currentTarget, member)) });
    }
    setIsBusy(false);
  }
  return (
    <form ref={form} onSubmit={submit} onInput={onInput}>
      {failure && (describeError?.(failure.error) ?? <ProblemNotice {...failure} />)}
      <FieldProblemsContext.Provider value={failure?.problem?.fields ?? noProblems}>
        {children}
      </FieldProblemsContext.Provider>
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
