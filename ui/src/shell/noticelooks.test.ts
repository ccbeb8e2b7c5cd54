import { IconBell, IconCertificate, IconUsb } from "@tabler/icons-react";
import { expect, test } from "vitest";
import en from "../text/en";
import { noticeIcon } from "./noticelooks";

test("every kind that stands on the page has a sign of what it is about, an unknown one the bell", () => {
  for (const kind of Object.keys(en.mail.kinds)) {
    if (["invitation", "digest", "test"].includes(kind)) continue; // by mail alone
    expect(noticeIcon(kind), kind).not.toBe(IconBell);
  }
  expect(noticeIcon("token_reset")).toBe(IconUsb);
  expect(noticeIcon("certificates_ending")).toBe(IconCertificate);
  expect(noticeIcon("comet_seen")).toBe(IconBell);
});
