import { expect, test } from "vitest";
import { jobs } from "./de/jobs";

test("mails say in German why a backup failed in the words of the page", async () => {
  const whole = Object.entries(jobs).filter(([, said]) => typeof said === "string");
  expect(whole.length).toBeGreaterThan(100);
  const file = "../../../internal/notify/text/causes_de.json"; // written by vitest -u
  await expect(`${JSON.stringify(Object.fromEntries(whole), null, 2)}\n`).toMatchFileSnapshot(file);
});
