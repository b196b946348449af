const randomBytes = 32;
const form = /^([1-9]\d{0,14})\.[\w-]{43}$/;

/** The token of a new session or link: the id of the organization, a point, and 256 random bits in base64url. */
export function newToken(organizationId: number): string {
  const random = crypto.getRandomValues(Buffer.alloc(randomBytes));
  return `${organizationId}.${random.toString("base64url")}`;
}

/** The organization of a token; undefined when the text has not the form of one. */
export function organizationOfToken(token: string): number | undefined {
  const id = form.exec(token)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** The stored form of a token: its SHA-256 in hex. */
export function hashToken(token: string): string {
  return Bun.SHA256.hash(token, "hex");
}
