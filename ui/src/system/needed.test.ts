import { expect, test } from "vitest";
import type { Schema } from "../api/client";
import { missing } from "./needed";

test("backups that nobody set up are missing; mail is a choice", () => {
  const report = (backups: string) =>
    ({
      components: [
        { name: "backups", status: backups },
        { name: "mail", status: "not_configured" },
      ],
    }) as Schema<"HealthReport">;
  expect(missing(report("not_configured"))).toEqual(["backups"]);
  expect(missing(report("ok"))).toEqual([]);
});
