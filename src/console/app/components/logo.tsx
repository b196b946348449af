import "../styles/logo.css";
import { useState } from "preact/hooks";
import { hueOf, initialsOf } from "./initials.ts";

/** Whether the server allows images of other servers: `--console-logos`. */
const hasLogos = document.documentElement.dataset.logos !== "off";

/** The logo of an account, or its initials without one, until it is loaded, and if it cannot be loaded. Decoration. */
export function Logo({ name, url }: { name: string; url: string | null }) {
  const [loaded, setLoaded] = useState<string>();
  const [failed, setFailed] = useState<string>();
  const isLoaded = url !== null && url === loaded;
  return (
    <span
      class={isLoaded ? "logo loaded" : "logo"}
      style={isLoaded ? undefined : { "--hue": `var(--series-${hueOf(name)})` }}
      aria-hidden="true"
    >
      {!isLoaded && initialsOf(name)}
      {hasLogos && url !== null && url !== failed && /^https:\/\//i.test(url) && (
        <img
          src={url}
          alt=""
          referrerpolicy="no-referrer"
          loading="lazy"
          decoding="async"
          onLoad={() => setLoaded(url)}
          onError={() => setFailed(url)}
        />
      )}
    </span>
  );
}
