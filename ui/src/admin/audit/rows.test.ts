import { describe, expect, it } from "vitest";
import { rowCounter } from "./rows";

const encode = (text: string) => new TextEncoder().encode(text);

describe("rowCounter", () => {
  it("counts lines of NDJSON over chunks", () => {
    const count = rowCounter("ndjson");
    expect(count(encode('{"details":"a\\""}\n{"de'))).toBe(1);
    expect(count(encode('tails":"b"}\n'))).toBe(2);
  });
  it("leaves out a header and line breaks within quotes", () => {
    const count = rowCounter("csv");
    expect(count(encode("id,details\n"))).toBe(0);
    expect(count(encode('1,"two\nlines, ""quoted'))).toBe(0);
    expect(count(encode('"""\n2,plain\n'))).toBe(2);
  });
  it("has nothing before the header has ended", () => {
    expect(rowCounter("csv")(encode("id"))).toBe(0);
  });
});
