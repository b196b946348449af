import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

export type Certificate = {
  /** The certificate and the key as PEM. */
  certificate: string;
  key: string;
};
export type Authority = Certificate & {
  /** A certificate of this authority for a host name or an IPv4 address. */
  issue: (host: string) => Certificate;
};

/** The tags of ASN.1 (X.690); X.509 is RFC 5280. */
const tag = { integer: 2, bits: 3, octets: 4, oid: 6, utf8: 12, time: 23, sequence: 48, set: 49 };

function sizeOf({ length }: Uint8Array): number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
}

function der(type: number, ...parts: Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.from([type, ...sizeOf(content)]), content]);
}

const bytes = (...values: number[]) => Uint8Array.from(values);
const sequence = (...parts: Uint8Array[]) => der(tag.sequence, ...parts);
const isTrue = der(1, bytes(255));
const ecdsaWithSha256 = sequence(der(tag.oid, bytes(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2)));
const commonName = der(tag.oid, bytes(0x55, 4, 3));
const basicConstraints = der(tag.oid, bytes(0x55, 0x1d, 19));
const subjectAltName = der(tag.oid, bytes(0x55, 0x1d, 17));

const distinguishedName = (name: string) =>
  sequence(der(tag.set, sequence(commonName, der(tag.utf8, Buffer.from(name)))));
const timeOf = (year: number) => der(tag.time, Buffer.from(`${year % 100}0101000000Z`));

function certify(
  { subject, publicKey, extension }: { subject: string; publicKey: KeyObject; extension: Uint8Array },
  issuer: { name: string; key: KeyObject },
): string {
  const content = sequence(
    der(0xa0, der(tag.integer, bytes(2))),
    der(tag.integer, bytes(1), randomBytes(8)),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    sequence(timeOf(2020), timeOf(2049)),
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension)),
  );
  const signature = der(tag.bits, bytes(0), sign("sha256", content, issuer.key));
  const base64 = Buffer.from(sequence(content, ecdsaWithSha256, signature)).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

const newKeys = () => generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const pemOf = (key: KeyObject) => String(key.export({ type: "pkcs8", format: "pem" }));

/** Makes a new certificate authority, which is valid from 2020 to 2048. */
export function createAuthority(name: string): Authority {
  const { publicKey, privateKey } = newKeys();
  const issuer = { name, key: privateKey };
  const extension = sequence(basicConstraints, isTrue, der(tag.octets, sequence(isTrue)));
  return {
    certificate: certify({ subject: name, publicKey, extension }, issuer),
    key: pemOf(privateKey),
    issue(host) {
      const keys = newKeys();
      const alternative = isIP(host)
        ? der(0x87, bytes(...host.split(".").map(Number)))
        : der(0x82, Buffer.from(host));
      const names = sequence(subjectAltName, der(tag.octets, sequence(alternative)));
      return {
        certificate: certify({ subject: host, publicKey: keys.publicKey, extension: names }, issuer),
        key: pemOf(keys.privateKey),
      };
    },
  };
}
