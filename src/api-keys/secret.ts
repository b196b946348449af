const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const prefix = "ak_";
const randomLength = 30;
const checksumLength = 6;

/** A new key: `ak_`, 30 random base62 characters, 6 that are the CRC-32 of what stands before them. */
export function newSecret(): string {
  const body = prefix + randomText(randomLength);
  return body + checksum(body);
}

/** Whether a text can be a key at all; a mistyped one is told without a look into the store. */
export function isSecret(text: string): boolean {
  if (!/^ak_[0-9A-Za-z]{36}$/.test(text)) return false;
  return text.endsWith(checksum(text.slice(0, -checksumLength)));
}

/** What the store keeps of a key: its SHA-256, in hex. */
export function hashSecret(secret: string): string {
  return Bun.SHA256.hash(secret, "hex");
}

function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    // The last multiple of 62 below 256: greater bytes would make the first letters likelier.
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
