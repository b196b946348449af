import type { AddressCheck } from "../address.ts";
import { navigate } from "../router.ts";

const maxShownLength = 80;

/** Names the parameters of the address that have no effect, and removes them. Nothing if there are none. */
export function IgnoredParameters({ path, check: { ignored, rest } }: { path: string; check: AddressCheck }) {
  if (ignored.length === 0) return null;
  const query = rest.toString();
  return (
    <div class="notice ignored-parameters" role="status">
      <p>
        <strong>A part of the address has no effect:</strong>{" "}
        {ignored.map((text, i) => (
          <span key={text}>
            {i > 0 && ", "}
            <code>{text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text}</code>
          </span>
        ))}
        . This page does not have it, or cannot read it, so more may be shown than the address was meant for.
      </p>
      <button
        type="button"
        onClick={() => navigate(query === "" ? path : `${path}?${query}`, { isReplaced: true })}
      >
        Remove it from the address
      </button>
    </div>
  );
}
