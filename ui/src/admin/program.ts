const browsers: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bFirefox\/(\d+)/, "Firefox"],
  [/\b(?:Headless)?Chrom(?:e|ium)\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+).*\bSafari\//, "Safari"],
];
const systems: [RegExp, string][] = [
  [/Windows NT/, "Windows"],
  [/iPhone|iPad/, "iOS"],
  [/Mac OS X/, "macOS"],
  [/Android/, "Android"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** programOf shortens a User-Agent to what people know: "Firefox 140, Windows". Other programs keep their first word. */
export function programOf(userAgent: string): string {
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const system = systems.find(([p]) => p.test(userAgent))?.[1];
    return system ? `${name} ${version}, ${system}` : `${name} ${version}`;
  }
  return (userAgent.split(" ", 1)[0] ?? "").slice(0, 64);
}
