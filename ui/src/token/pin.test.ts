import { expect, it } from "vitest";
import { pinFault } from "./pin";

it("takes six to eight digits", () => {
  expect(pinFault("837465")).toBe("");
  expect(pinFault("83746512")).toBe("");
  expect(pinFault("83746")).toBe("digits");
  expect(pinFault("837465123")).toBe("digits");
  expect(pinFault("83746a")).toBe("digits");
  expect(pinFault("")).toBe("digits");
});
it("refuses rows and one digit alone", () => {
  for (const pin of ["123456", "12345678", "654321", "000000"]) expect(pinFault(pin)).toBe("easy");
});
