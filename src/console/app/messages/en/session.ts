/** Sign-in, and a session that another tab has changed. */
export const session = {
  changed: "The session has changed",
  changes: {
    otherKey: "This browser has signed in with another key since. Reload the page.",
    signedOut: "This browser has signed out since. Reload the page.",
    ended:
      "The session has ended: it is older than 12 hours, its key was revoked or has expired, or it was signed out elsewhere. Reload the page to sign in.",
  },
  reload: "Reload",
  invalidLink:
    "This link was used already, or is older than 10 minutes. Sign in with a key, or restart the quickstart for a new link.",
  invalidKey:
    "This key is not valid: it is mistyped, revoked or expired. Copy the whole key, or ask an operator for another one.",
};
