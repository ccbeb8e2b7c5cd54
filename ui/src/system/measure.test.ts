import { describe, expect, it } from "vitest";
import { bytes, goSeconds, milliseconds, share, spoken } from "./measure";

const plain = (s: string) => s.replace(/\u00a0|\u202f/g, " ");

describe("measures", () => {
  it("reads the server's durations", () => {
    expect(goSeconds("10m0s")).toBe(600);
    expect(goSeconds("1h2m3s")).toBe(3723);
    expect(goSeconds("1.5s")).toBe(1.5);
    expect(goSeconds("250ms")).toBe(0.25);
    expect(goSeconds("")).toBe(0);
  });
  it("says lengths of time by two units", () => {
    expect(spoken(39, "en")).toBe("39 seconds");
    expect(spoken(600, "en")).toBe("10 minutes");
    expect(spoken(3723, "en")).toBe("1 hour 2 minutes");
    expect(spoken(2 * 86_400 + 5, "en")).toBe("2 days");
    expect(spoken(0, "de")).toBe("0 Sekunden");
    expect(spoken(90_000, "de")).toBe("1 Tag 1 Stunde");
  });
  it("says sizes", () => {
    expect(plain(bytes(65, "en"))).toBe("65 bytes");
    expect(plain(bytes(1, "en"))).toBe("1 byte");
    expect(plain(bytes(65, "de"))).toBe("65 Byte");
    expect(plain(bytes(0, "en"))).toBe("0 bytes");
    expect(plain(bytes(4096, "en"))).toBe("4.1 kB");
    expect(plain(bytes(270_553_174_016, "en"))).toBe("271 GB");
    expect(plain(bytes(1_680_992, "de"))).toBe("1,7 MB");
    expect(plain(bytes(999_950, "en"))).toBe("1 MB");
  });
  it("says how long something took", () => {
    expect(plain(milliseconds(0.014, "en"))).toBe("0.01 ms");
    expect(plain(milliseconds(47.8, "en"))).toBe("48 ms");
    expect(plain(milliseconds(2004, "en"))).toBe("2 sec");
  });
  it("spreads latencies over the bar", () => {
    expect(share(0)).toBe(0);
    expect(share(2000)).toBe(1);
    expect(share(5000)).toBe(1);
    expect(share(1)).toBeGreaterThan(0.2);
  });
});
