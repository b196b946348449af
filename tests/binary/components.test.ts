import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import Ajv, { type AnySchema } from "ajv";
import { buildBillOfMaterials, formatLicenses, readComponents } from "../../deploy/release/components.ts";
import { runtimeLibraries } from "../../deploy/release/runtime-libraries.ts";
import { buildConsoleOnce } from "../support/console-files.ts";

setDefaultTimeout(60_000);

const root = join(import.meta.dir, "../..");
const schemas = join(root, "node_modules/@cyclonedx/cyclonedx-library/res/schema");
const readSchema = (name: string) => Bun.file(join(schemas, `${name}.SNAPSHOT.schema.json`)).json();

function components() {
  // The program imports the files of the console.
  buildConsoleOnce();
  return readComponents(root);
}

test("the bill of materials is valid by the schema of CycloneDX 1.6, with licences of the SPDX list", async () => {
  const bill = buildBillOfMaterials("1.2.3", await components());
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["spdx", "jsf-0.82", "cryptography-defs"]) {
    ajv.addSchema(await readSchema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  const isValid = ajv.compile((await readSchema("bom-1.6")) as AnySchema);
  isValid(bill);
  expect(isValid.errors).toBeNull();
  const expressions = [...JSON.stringify(bill).matchAll(/"expression":"([^"]+)"/g)].map(
    ([, text = ""]) => text,
  );
  const ids = new Set(expressions.flatMap((text) => text.split(/ AND | OR | WITH /)));
  const spdx = await readSchema("spdx");
  expect([...ids].filter((id) => !spdx.enum.includes(id))).toEqual([]);
});

test("the components are the bundled packages: indirect and optional ones too, and none of types only", async () => {
  const names = (await components()).map(({ name }) => name);
  for (const name of ["swagger-ui-dist", "preact", "tdigest", "file-type"]) expect(names).toContain(name);
  for (const name of ["typescript", "openapi-types", "@scalar/types"]) expect(names).not.toContain(name);
  expect(new Set(names).size).toBe(names.length);
});

test("the licences name each component and library, and have a text for each licence", async () => {
  const items = await components();
  const text = formatLicenses("The licence of accountd", items);
  const lines = [
    ...items.map(({ name, version, license }) => `${name} ${version}: ${license}`),
    ...Object.entries(runtimeLibraries).map(([name, license]) => `${name}: ${license}`),
  ];
  expect(lines.filter((line) => !text.includes(`${line}\n`))).toEqual([]);
  const licenses = new Set(items.map(({ license }) => license));
  const withText = new Set(items.flatMap((item) => (item.text === "" ? [] : [item.license])));
  expect(withText).toEqual(licenses);
  expect(text.split("Version 2.0, January 2004").length - 1).toBeLessThan(items.length);
});
