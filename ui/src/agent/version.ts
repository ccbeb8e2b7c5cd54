/** least is the oldest agent that this page works with. */
export const least = "0.1.0";

/**
 * tooOld compares versions by their three numbers (semver.org, item 11). What
 * is no release, such as dev or a commit, passes: whoever runs it knows.
 */
export function tooOld(version: string, than = least): boolean {
  const [a, b] = [numbers(version), numbers(than)];
  if (!a || !b) return false;
  for (let i = 0; i < 3; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbers(version: string): number[] | null {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(version);
  return match ? match.slice(1, 4).map(Number) : null;
}
