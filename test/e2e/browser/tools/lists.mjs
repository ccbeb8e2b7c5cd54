// Prints how quickly a list of 100,000 tokens turns its page, sorts, filters and
// searches in chromium, and how long a change of 1,000 takes. Figures, not
// judgements.
//
//   scripts/build && node test/e2e/browser/tools/lists.mjs
import { openBrowser, settled, Visitor } from "../harness/visitor.mjs";
import { World } from "../harness/world.mjs";

const all = Number(process.env.TOKENS ?? 100_000);
const file = 20_000; // tokens in an import
const rounds = 9;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** fill puts the tokens on record, the last thousand in an organization of their own. */
async function fill(world) {
  const organization = await world.admin.post("/api/admin/organizations", { name: "Thousand" });
  for (let from = 0; from < all; from += file) {
    const rows = Array.from({ length: Math.min(file, all - from) }, (_, i) => {
      const n = from + i;
      return `${50_000_000 + n},Token ${String((n * 7919) % all).padStart(6, "0")},${n < all - 1000 ? "Acme" : "Thousand"}`;
    });
    await world.admin.post("/api/hwkey/import", `serial,label,organization\n${rows.join("\n")}\n`, "text/csv");
  }
  return organization.id;
}

/** took is how long (ms) it takes from a press, or from what is typed, until other rows are drawn. */
function took(page, what, text) {
  return page.evaluate(
    async ([what, text]) => {
      const rows = () => [...document.querySelectorAll("tbody:not([inert]) tr a")].map((a) => a.textContent).join();
      const named = (e) => (e.getAttribute("aria-label") ?? e.textContent).trim();
      const element =
        text === undefined
          ? [...document.querySelectorAll("button")].find((e) => named(e).startsWith(what))
          : document.querySelector("input[type=search]");
      const before = rows();
      const begun = performance.now();
      if (text === undefined) element.click();
      else {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(element, text);
        element.dispatchEvent(new Event("input", { bubbles: true }));
      }
      const drawn = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
      while (rows() === before || rows() === "") await new Promise((go) => requestAnimationFrame(go));
      await drawn();
      return performance.now() - begun;
    },
    [what, text],
  );
}

async function measured(page, name, steps) {
  const taken = [];
  for (let i = 0; i < rounds; i++) for (const [what, text] of steps(i)) taken.push(await took(page, what, text));
  const worst = Math.max(...taken);
  console.log(
    `${name.padEnd(52)}${median(taken).toFixed(0).padStart(6)} ms, worst of ${taken.length} ${worst.toFixed(0)} ms`,
  );
}

let world;
let browser;
try {
  browser = await openBrowser();
  world = await World.start({});
  const begun = performance.now();
  const thousand = await fill(world);
  console.log(`${all} tokens on record after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  const visitor = await Visitor.open(browser, world, { viewport: { width: 1440, height: 900 } });
  const { page } = visitor;
  await visitor.signIn("admin", "/admin/tokens");
  await settled(page);
  await measured(page, "another page", () => [["Next"]]);
  await measured(page, "sorted by another column, first to last and back", () => [["Label"], ["Label"], ["Label"]]);
  await measured(page, "a search, with the pause of 350 ms in the typing", (i) => [
    ["", `token 0${(i * 7) % 10}4${i}`],
  ]);

  await page.goto(`/admin/tokens?organization=${thousand}`);
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Select all 1,000 that match" }).click();
  await page.getByText("1,000 selected").waitFor();
  await page.getByRole("region", { name: "With the selected tokens" }).getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Retire" }).click();
  await page.evaluate(() => {
    window.progress = new Set();
    new MutationObserver(() => {
      const bar = document.querySelector("[role=progressbar]");
      if (bar) window.progress.add(bar.getAttribute("aria-valuenow"));
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  const change = performance.now();
  await page.getByRole("dialog").getByRole("button", { name: "Retire" }).click();
  await page.getByText("1,000 tokens changed").waitFor();
  const steps = await page.evaluate(() => [...window.progress].join(", "));
  console.log(`a change of 1,000 took ${((performance.now() - change) / 1000).toFixed(1)} s; progress seen: ${steps}`);

  await page.goto("/admin/tokens");
  await settled(page);
  await measured(page, "another status", () => [["In stock"], ["Retired"]]);
} finally {
  await browser?.close();
  await world?.stop();
}
