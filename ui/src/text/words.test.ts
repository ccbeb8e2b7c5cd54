import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import banned from "./words.json";

/** The most that one text is followed through its conditions. */
const most = 64;

/** texts are those of a file as people read them: joined over + and templates, once for each way its conditions lead; {} stands for a value. */
function texts(name: string, source: string): [string, string][] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const named = new Map<string, ts.Expression>();
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer) named.set(name.text, initializer);
    }
  }

  const join = (left: string[], right: string[]) => left.flatMap((l) => right.map((r) => l + r)).slice(0, most);

  /** ways are all that an expression may read; none: it is no text. */
  function ways(node: ts.Expression): string[] | undefined {
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return ways(node.expression);
    if (ts.isConditionalExpression(node)) {
      const [yes, no] = [ways(node.whenTrue), ways(node.whenFalse)];
      return yes || no ? [...(yes ?? ["{}"]), ...(no ?? ["{}"])] : undefined;
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
      const [left, right] = [ways(node.left), ways(node.right)];
      return left || right ? join(left ?? ["{}"], right ?? ["{}"]) : undefined;
    }
    if (ts.isTemplateExpression(node)) {
      return node.templateSpans.reduce(
        (before, span) =>
          join(
            before,
            (ways(span.expression) ?? ["{}"]).map((said) => said + span.literal.text),
          ),
        [node.head.text],
      );
    }
    const constant = ts.isIdentifier(node) ? named.get(node.text) : undefined;
    return constant && ts.isStringLiteralLike(constant) ? [constant.text] : undefined;
  }

  const found: [string, string][] = [];
  function visit(node: ts.Node) {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    const said = ts.isExpression(node) && !ts.isIdentifier(node) ? ways(node) : undefined;
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    for (const way of said ?? []) found.push([`${name}:${line}`, way]);
    // What a value is made of is read, too: the words of a list, say.
    ts.forEachChild(node, visit);
  }
  visit(file);
  return found;
}

/** judge names each text that has what its language does not say. */
const judge = (language: "en" | "de", said: [string, string][]) =>
  said.flatMap(([where, text]) =>
    banned[language].filter((b) => new RegExp(b).test(text)).map((b) => `${where} ${b}: ${text}`),
  );

test.each(["en", "de"] as const)("the catalogue (%s) has one word for one thing", (language) => {
  const folder = new URL(`./${language}/`, import.meta.url);
  const said = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => texts(name, readFileSync(new URL(name, folder), "utf8")));
  expect(said.length).toBeGreaterThan(1000);
  expect([...new Set(judge(language, said))]).toEqual([]);
});

test.each([
  ["split over +", 'const a = "Choose it and go " + "to the page.";'],
  ["split over lines", 'const a = { b: "You can " +\n  ("log " + "in again") };'],
  ["split over a template", `const a = (n: number) => \`\${n} tokens \${n === 1 ? "is" : "are"} told\`;`],
  ["with a value in it", "const a = (what: string) => `Type $" + "{what} to confirm`;"],
  ["with a part of its own", 'const a = "go to"; const b = () => `Then $' + "{a} the page`;"],
  ["within a call", 'const a = () => [`Done`, "Log" + " out"].join(", ");'],
])("a phrase is found %s", (_, source) => {
  expect(judge("en", texts("test.ts", source))).not.toEqual([]);
});

test("a value keeps words apart, and what is no text is none", () => {
  const source = 'import { a } from "go to"; type A = "go to"; const b = (n: string) => `go $' + "{n} to`;";
  expect(judge("en", texts("test.ts", source))).toEqual([]);
});
