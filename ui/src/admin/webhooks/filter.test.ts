import { expect, it } from "vitest";
import { badAction, receiver } from "./filter";

it("tells actions and prefixes from the rest", () => {
  expect(badAction(["hwkey.", "certificate.revoked", "api_key.created"])).toBeUndefined();
  for (const bad of ["hwkey", "hwkey.*", "Hwkey.", "", "hwkey.reset.x", " hwkey."]) {
    expect(badAction(["hwkey.", bad])).toBe(bad);
  }
});

it("parts an address", () => {
  expect(receiver("https://hooks.example.org:8443/a?b=c")).toEqual({ host: "hooks.example.org:8443", path: "/a?b=c" });
  expect(receiver("no address")).toEqual({ host: "no address", path: "" });
});
