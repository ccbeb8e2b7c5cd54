import { expect, test } from "vitest";
import { template } from "./file";

test.each([
  ["en", 'a,b\r\n"Acme, Inc.","The ""A"""\r\n'],
  ["de", 'a;b\r\n"Acme, Inc.";"The ""A"""\r\n'],
])("a template in %s", async (language, text) => {
  const bytes = new Uint8Array(await template(["a", "b"], ["Acme, Inc.", 'The "A"'], language).arrayBuffer());
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(new TextDecoder().decode(bytes)).toBe(text);
});
