import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Popover } from "../../components/popover.tsx";

type FormProps = {
  /** The fault of the initial values. */
  initialFault?: string | undefined;
  /** Applies the values, or returns their fault; then the form stays open. */
  onSubmit: (values: FormData) => string | undefined;
  /** The fields, whose inputs get the attributes of inputs with a fault. */
  children: (problem: { "aria-invalid"?: true }) => ComponentChildren;
};

/** A form in a box: it takes effect and closes when it is submitted. */
export function FilterForm({
  label,
  isActive,
  initial,
  ...form
}: FormProps & {
  label: string;
  isActive: boolean;
  /** The initial values as a text. With others the form is a new one; the button, which has the focus, stays. */
  initial: string;
}) {
  return (
    <Popover label={label} isActive={isActive}>
      {(close) => <BoxForm key={initial} {...form} close={close} />}
    </Popover>
  );
}

function BoxForm({ initialFault, onSubmit, children, close }: FormProps & { close: () => void }) {
  /** Fault of values that were submitted but not applied, or of the initial ones. */
  const [fault, setFault] = useState(initialFault);
  return (
    <form
      class="filter-form"
      onSubmit={(event) => {
        event.preventDefault();
        const found = onSubmit(new FormData(event.currentTarget));
        setFault(found);
        if (found === undefined) close();
      }}
    >
      {children(fault === undefined ? {} : { "aria-invalid": true })}
      {fault !== undefined && (
        <p class="field-problem" role="alert">
          {fault}
        </p>
      )}
      <button type="submit" class="primary">
        Apply
      </button>
    </form>
  );
}
