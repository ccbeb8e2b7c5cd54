/** The lifetimes that the form offers; "date" is a day of one's own. */
export const presets = ["30", "90", "180", "365", "date"] as const;
export type Preset = (typeof presets)[number];

/** How far ahead a key may expire, in days. */
export const longest = 400;

const dayLength = 86_400_000;

/** expiry gives when a key is to expire, or null for a day that is none. */
export function expiry(preset: Preset, day: string, now = new Date()): Date | null {
  if (preset !== "date") return new Date(now.getTime() + Number(preset) * dayLength);
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (!parts) return null;
  const [, y, m, d] = parts.map(Number);
  if (y === undefined || m === undefined || d === undefined) return null;
  // The end of that day, where the person is.
  const end = new Date(y, m - 1, d, 23, 59, 59);
  if (end.getMonth() !== m - 1) return null;
  return end > now && end.getTime() <= now.getTime() + longest * dayLength ? end : null;
}

/** isoDay is a day of the person's own calendar, as a date field takes it. */
export function isoDay(at: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
