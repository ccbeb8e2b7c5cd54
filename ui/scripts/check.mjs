// Checks the types, as tsc --noEmit does, and the catalogues of texts: every language has the keys that English has, in
// open lists too (Record<string, …>, of which the compiler asks nothing), and the
// pages use every key.
//
//   node scripts/check.mjs
//
// What is used, the compiler's own types say: a property that the code reads leads to
// where English writes it, whatever variable or component it came through. An object
// that is indexed by a variable counts as used where the variable's type says; one
// that goes where anything may be read of it (Object.entries, an index signature)
// counts as used whole. Tests do not count.
import path from "node:path";
import ts from "typescript";
import { main, outside, reach, root } from "./graph.mjs";

const catalogues = path.join(root, "src/text");

/** Lists that a language may leave empty: what is not there, the server says in English. */
const optional = new Set(["fields", "findings", "sentences"]);

const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(fileNames, { ...options, noEmit: true });
const checker = program.getTypeChecker();

const types = ts.getPreEmitDiagnostics(program);
if (types.length > 0) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => "\n" };
  console.error(ts.formatDiagnostics(types, host));
  process.exit(1);
}

/** aliased leads from an import to what it imports. */
const aliased = (symbol) => (symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

/** literalOf gives the object literal that an expression stands for; open: under a type of its own, so that reading it leads elsewhere. */
function literalOf(node, open = false) {
  if (ts.isObjectLiteralExpression(node)) return { literal: node, open };
  if (ts.isAsExpression(node)) return literalOf(node.expression, open || node.type.getText() !== "const");
  if (ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)) return literalOf(node.expression, open);
  if (!ts.isIdentifier(node)) return null;
  const named = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  const variable = aliased(named)?.valueDeclaration;
  if (!variable || !ts.isVariableDeclaration(variable) || !variable.initializer) return null;
  return literalOf(variable.initializer, open || variable.type !== undefined);
}

/** keysOf lists the keys under an object literal, the nested ones by their path. */
function keysOf(node, before = "", under = false, keys = new Map()) {
  const found = literalOf(node, under);
  if (!found) return keys;
  for (const property of found.literal.properties) {
    if (ts.isSpreadAssignment(property)) {
      keysOf(property.expression, before, found.open, keys);
      continue;
    }
    const name = before + property.name.text;
    const value = ts.isShorthandPropertyAssignment(property) ? property.name : property.initializer;
    const nested = value && literalOf(value, found.open);
    keys.set(name, { property, leaf: !nested || nested.literal.properties.length === 0, open: found.open });
    if (nested) keysOf(value, `${name}.`, found.open, keys);
  }
  return keys;
}

/** parts are the files that a language is in: what every visit begins with, and the rest. */
const parts = ["first.ts", "rest.ts"];

function catalogue(language) {
  const keys = new Map();
  for (const part of parts) {
    const file = program.getSourceFile(path.join(catalogues, language, part));
    const end = file?.statements.find(ts.isExportAssignment);
    if (!end) throw new Error(`src/text/${language}/${part} exports no texts`);
    // Each language's catalogue has a type of its own by design: that is not "open".
    const variable = checker.getSymbolAtLocation(end.expression).valueDeclaration;
    for (const area of literalOf(variable.initializer).literal.properties) {
      const exported = aliased(checker.getShorthandAssignmentValueSymbol(area)).valueDeclaration;
      keys.set(area.name.text, { property: area, leaf: false, open: false });
      keysOf(exported.initializer, `${area.name.text}.`, false, keys);
    }
  }
  return keys;
}

const languages = ts.sys.getDirectories(catalogues);
const all = Object.fromEntries(languages.map((language) => [language, catalogue(language)]));
const problems = [];
const mayLack = (key) => [...optional].some((list) => key.startsWith(`${list}.`));
for (const language of languages) {
  for (const other of languages) {
    for (const key of all[other].keys()) {
      if (!all[language].has(key) && !mayLack(key)) problems.push(`${key}: in ${other}, not in ${language}`);
    }
  }
}

const used = new Set(); // where English writes what is read

const mark = (symbol) => {
  for (const declaration of symbol?.declarations ?? []) used.add(declaration);
};

const inEnglish = (node) => node.getSourceFile().fileName.startsWith(path.join(catalogues, "en"));

/** What the pages load before the frame, and so before the rest of a language, but for what a problem does without. */
const early = new Set(
  [main, ...outside.filter((file) => !file.endsWith("restoring.tsx"))].flatMap((f) => [...reach(f)]),
);
const rest = path.join(catalogues, "en", "rest.ts");

/** tooEarly complains of a text that is read where it may not be there yet. */
function tooEarly(node, symbol) {
  const at = symbol?.declarations?.[0]?.getSourceFile().fileName;
  if (at !== rest || !early.has(node.getSourceFile().fileName)) return;
  if (["fields", "labels", "sentences"].includes(symbol.name)) return;
  problems.push(`${symbol.name}: ${path.relative(root, node.getSourceFile().fileName)} is loaded before it`);
}

/** words says whether a type is an object of the catalogue. */
const words = (type) => (type.symbol?.declarations ?? []).some((d) => ts.isObjectLiteralExpression(d) && inEnglish(d));

/** whole marks all there is of a type. */
function whole(type) {
  for (const part of type.isUnion() ? type.types : [type]) {
    if (!words(part)) continue;
    for (const property of checker.getPropertiesOfType(part)) {
      mark(property);
      whole(checker.getTypeOfSymbol(property));
    }
  }
}

/** given marks what can be read of a value where another type is asked for. */
function given(type, asked) {
  for (const part of type.isUnion() ? type.types : [type]) {
    if (!words(part) || part === asked) continue;
    for (const wanted of asked.isUnion() ? asked.types : [asked]) {
      if (wanted === part) continue;
      if (wanted.flags & (ts.TypeFlags.Nullable | ts.TypeFlags.BooleanLike)) continue;
      const named = checker.getPropertiesOfType(wanted);
      if (checker.getIndexInfosOfType(wanted).length > 0 || named.length === 0) {
        whole(part);
        continue;
      }
      for (const property of named) {
        const own = checker.getPropertyOfType(part, property.name);
        if (!own) continue;
        mark(own);
        given(checker.getTypeOfSymbol(own), checker.getTypeOfSymbol(property));
      }
    }
  }
}

/** pulledApart: const { title } = t.tokens is seen at the pattern. */
const pulledApart = (node) =>
  ts.isVariableDeclaration(node.parent) && node === node.parent.initializer && !ts.isIdentifier(node.parent.name);

/** dependency: useEffect(…, [words]) compares and reads nothing. */
function dependency(node) {
  const call = node.parent.parent;
  if (!ts.isArrayLiteralExpression(node.parent) || !call || !ts.isCallExpression(call)) return false;
  return call.arguments.at(-1) === node.parent && /^use[A-Z]/.test(call.expression.getText());
}

function visit(node) {
  if (ts.isTypeNode(node)) return;
  // Of two objects of one shape the compiler keeps one: the other counts as used whole.
  if (ts.isConditionalExpression(node)) {
    const kept = checker.getTypeAtLocation(node);
    for (const branch of [node.whenTrue, node.whenFalse]) {
      const type = checker.getTypeAtLocation(branch);
      if (type !== kept && !(kept.isUnion() && kept.types.includes(type))) whole(type);
    }
  }
  if (ts.isPropertyAccessExpression(node)) {
    const symbol = checker.getSymbolAtLocation(node.name);
    mark(symbol);
    tooEarly(node, symbol);
  }
  if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
    const from = checker.getTypeAtLocation(node.parent);
    const name = node.propertyName ?? node.name;
    if (node.dotDotDotToken) whole(from);
    else {
      const symbol = checker.getPropertyOfType(from, name.text);
      mark(symbol);
      tooEarly(node, symbol);
    }
  }
  if (ts.isElementAccessExpression(node)) {
    const from = checker.getTypeAtLocation(node.expression);
    const index = checker.getTypeAtLocation(node.argumentExpression);
    for (const part of index.isUnion() ? index.types : [index]) {
      if (part.isLiteral()) mark(checker.getPropertyOfType(from, String(part.value)));
      else whole(from);
    }
  }
  if (ts.isSpreadAssignment(node) || ts.isJsxSpreadAttribute(node)) whole(checker.getTypeAtLocation(node.expression));
  if (ts.isExpression(node) && !ts.isJsxOpeningLikeElement(node.parent) && !pulledApart(node) && !dependency(node)) {
    const type = checker.getTypeAtLocation(node);
    const asked = (type.isUnion() ? type.types : [type]).some(words) && checker.getContextualType(node);
    if (asked) given(type, asked);
  }
  ts.forEachChild(node, visit);
}

for (const file of program.getSourceFiles()) {
  if (!file.fileName.startsWith(path.join(root, "src/")) || file.isDeclarationFile) continue;
  if (file.fileName.startsWith(catalogues + path.sep) || /\.test\.tsx?$/.test(file.fileName)) continue;
  visit(file);
}

const unused = [...all.en].filter(([, key]) => key.leaf && !key.open && !used.has(key.property)).map(([name]) => name);
for (const key of unused) problems.push(`${key}: nothing uses it`);

for (const problem of problems) console.error(`src/text: ${problem}`);
if (problems.length > 0) process.exit(1);
