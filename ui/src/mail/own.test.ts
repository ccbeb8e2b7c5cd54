import { MutationObserver, QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import type { Own, OwnBody } from "./calls";
import { after, choosing } from "./own";
import { ownKey } from "./queries";

const own: Own = {
  language: "de",
  mail: { license_ending: false },
  kinds: [
    { kind: "token_reset", choice: "always", mail: true },
    { kind: "certificate_ending", choice: "on", mail: true },
    { kind: "digest", choice: "on", mail: false },
  ],
  address: "ann@example.org",
  failed_at: null,
  error: "",
  available: true,
};

const switches = (o: Own | undefined) => o?.kinds?.map((k) => k.mail);

test("what is switched changes one kind, and says so of that alone", () => {
  const next = after(own, { mail: { digest: true } });
  expect(next.language).toBe("de");
  expect(next.mail).toEqual({ license_ending: false, digest: true });
  expect(switches(next)).toEqual([true, true, true]);
  expect(own.mail, "what was is not touched").toEqual({ license_ending: false });
  expect(after(own, { language: "en" })).toEqual({ ...own, language: "en" });
});

test("of several choices each is sent alone, and none jumps back before the last is stored", async () => {
  const queries = new QueryClient();
  let stored = own;
  const sent: OwnBody[] = [];
  const goOn: (() => void)[] = [];
  queries.setQueryData(ownKey, own);
  const put = async (choice: OwnBody) => {
    sent.push(choice);
    await new Promise<void>((resolve) => goOn.push(resolve));
    stored = after(stored, choice);
    return stored;
  };
  const observer = new MutationObserver(queries, choosing(queries, put));
  const first = observer.mutate({ mail: { certificate_ending: false } });
  const second = new MutationObserver(queries, choosing(queries, put)).mutate({ mail: { digest: true } });
  await expect.poll(() => goOn.length).toBe(1);
  expect(switches(queries.getQueryData(ownKey)), "both are shown").toEqual([true, false, true]);
  goOn[0]?.();
  await first;
  expect(queries.getQueryState(ownKey)?.isInvalidated, "not asked while one is under way").toBe(false);
  await expect.poll(() => goOn.length).toBe(2);
  expect(switches(queries.getQueryData(ownKey))).toEqual([true, false, true]);
  goOn[1]?.();
  await second;
  expect(sent).toEqual([{ mail: { certificate_ending: false } }, { mail: { digest: true } }]);
  expect(queries.getQueryState(ownKey)?.isInvalidated, "asked after the last").toBe(true);
  expect(switches(stored)).toEqual([true, false, true]);
});
