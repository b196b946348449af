const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const prefix = "ak_";
const randomLength = 30;
const checksumLength = 6;

/** A new key: `ak_`, 30 random base62 characters, and the CRC-32 of all of them in 6 base62 characters. */
export function newSecret(): string {
  const body = prefix + randomText(randomLength);
  return body + checksum(body);
}

/** Whether a text has the form and the checksum of a key. Saves a query for a mistyped key. */
export function isSecret(text: string): boolean {
  if (!/^ak_[0-9A-Za-z]{36}$/.test(text)) return false;
  return text.endsWith(checksum(text.slice(0, -checksumLength)));
}

/** The stored form of a key or a token: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return Bun.SHA256.hash(secret, "hex");
}

function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    // 248 is a multiple of 62. Larger bytes would make some characters more likely.
    for (const byte of crypto.getRandomValues(new Uint8Array(length)))
      if (byte < 248) text += alphabet[byte % 62];
  }
  return text.slice(0, length);
}

function checksum(text: string): string {
  let remaining = Bun.hash.crc32(text);
  let digits = "";
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[remaining % 62] + digits;
    remaining = Math.floor(remaining / 62);
  }
  return digits;
}

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
