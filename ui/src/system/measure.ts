const unitSeconds: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 1e-3, µs: 1e-6, us: 1e-6, ns: 1e-9 };

/** goSeconds reads a duration as the server writes it: "1h2m3s". */
export function goSeconds(duration: string): number {
  let sum = 0;
  for (const [, number, unit] of duration.matchAll(/([\d.]+)(h|ms|µs|us|ns|m|s)/g)) {
    sum += Number(number) * (unitSeconds[unit ?? ""] ?? 0);
  }
  return sum;
}

const steps: [string, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** spoken says a length of time by its two largest units: "2 days 3 hours". */
export function spoken(seconds: number, language: string): string {
  let rest = Math.max(0, Math.round(seconds));
  const words: string[] = [];
  for (const [unit, size] of steps) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    // A unit in between that is zero ends it: "2 days", not "2 days 5 seconds".
    if (n === 0 && words.length > 0) break;
    if (n > 0) words.push(inUnits(n, unit, language, "long"));
    if (words.length === 2) break;
  }
  return words.join(" ") || inUnits(0, "second", language, "long");
}

function inUnits(n: number, unit: string, language: string, unitDisplay: "long" | "short", digits = 0): string {
  const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay, maximumFractionDigits: digits });
  return format.format(n);
}

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

/** bytes says a size: "1.7 MB". */
export function bytes(n: number, language: string): string {
  let size = n;
  let i = 0;
  while (size >= 999.5 && i < sizes.length - 1) {
    size /= 1000;
    i++;
  }
  // Written out, a byte has a plural.
  return inUnits(size, sizes[i] ?? "byte", language, i === 0 ? "long" : "short", i > 0 && size < 99.95 ? 1 : 0);
}

/** milliseconds says how long something took, as exactly as matters. */
export function milliseconds(ms: number, language: string): string {
  if (ms >= 1000) return inUnits(ms / 1000, "second", language, "short", 1);
  return inUnits(ms, "millisecond", language, "short", ms < 1 ? 2 : ms < 10 ? 1 : 0);
}

/** share of a check's two seconds, 0 to 1, on a logarithmic scale: 0.1 ms and 100 ms both show. */
export function share(ms: number, limit = 2000): number {
  return Math.min(1, Math.log10(1 + 10 * ms) / Math.log10(1 + 10 * limit));
}
