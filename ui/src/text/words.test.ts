import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Words that the list in README.md has another one for, and turns of phrase that were translated, not written. */
const banned: Record<"en" | "de", RegExp[]> = {
  en: [
    /\b[Ll]og(ged)? (in|on|out)\b/,
    /\b[Tt]ype (a|an|the|one|your|part|\$\{)/,
    /\b[Tt]o the (tokens|overview|list)\b/,
    /\b[Gg]o to\b/,
    /\b[Gg]oes? on (later|from|there)\b/,
    /\b(is|are) told\b/,
    /\b[Nn]obody fits\b/,
    /\bby themselves\b/,
    /\blies? in\b/,
    /\bput back in(to)? use\b|\bbrings? (it|them) back into use\b/,
    /\bin the clear\b/,
    /\bMark as assigned\b|"Activate"/,
    /former holder/,
    /\bkey store\b|Touch the key\b/,
    /\b[Pp]lease\b|\b[Ss]orry\b/,
    /\b[Ww]ipe the token\b|\bNew users\b/,
    /state: "State"/,
    /was refused"|"Refused"/,
  ],
  de: [
    /Audit-Protokoll/,
    /Verwaltungsschlüssel/,
    /\b(den|dem|Der) PUK\b/,
    /\b(Ihre|Ihrer|die|der|Die|Der) Verwaltung\b/,
    /Logdatei|Log des Servers|Protokoll des Servers/,
    /\bProben?\b|\bproben\b|\bgeprobt\b/,
    /(?<!E-)\bMails?\b(?!server|-)/,
    /Maschine/,
    /\bKnopf\b/,
    /Einzelheiten/,
    /Verlust melden|In Betrieb nehmen|Als zugewiesen führen/,
    /\b(Nichts|Niemand|Kein \w+) passt\b/,
    /\bZur Übersicht\b|\bZu den \w+"|\bZur \w+"/,
    /: "Zustand"/,
    /zurückgehalten/,
    /\bwird nie gezeigt\b|\b[Zz]eigen"/,
    /\bbitte\b|\bleider\b|\bEntschuldig/i,
    /\b(du|dein|deine|deinen|dir)\b/,
    /\bMenschen\b/,
  ],
};

/** strings are the texts of a file: what stands in quotes, with the key before it. */
function lines(folder: URL): [string, string][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) =>
      readFileSync(new URL(name, folder), "utf8")
        .split("\n")
        .map((line, i): [string, string] => [`${name}:${i + 1}`, line])
        .filter(([, line]) => /["`]/.test(line) && !/^\s*(\/\/|\/?\*|import |export \* )/.test(line)),
    );
}

test.each(["en", "de"] as const)("the catalogue (%s) has one word for one thing", (language) => {
  const texts = lines(new URL(`./${language}/`, import.meta.url));
  expect(texts.length).toBeGreaterThan(1000);
  const found = texts.flatMap(([where, line]) =>
    banned[language].filter((b) => b.test(line)).map((b) => `${where} ${b}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
