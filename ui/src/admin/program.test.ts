import { expect, test } from "vitest";
import { programOf } from "./program";

test("a User-Agent is shortened to what people know", () => {
  const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
  const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
  expect(programOf(`${windows} ${chrome}`)).toBe("Chrome 140, Windows");
  expect(programOf(`${windows} ${chrome} Edg/141.0.0.0`)).toBe("Edge 141, Windows");
  expect(programOf("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")).toBe(
    "Firefox 140, Linux",
  );
  expect(
    programOf(
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
    ),
  ).toBe("Safari 18, macOS");
  expect(programOf("keyward/1.4 (linux)")).toBe("keyward/1.4");
  expect(programOf("")).toBe("");
});
