import assert from "node:assert/strict";
import { eventually, see } from "../harness/suite.mjs";

/** live are pages that follow what others do. Nothing is reloaded here, and no page looks again by itself this soon. */
export function live(test) {
  test("what others change shows on the pages that are open", async ({ world, open }) => {
    const admin = await open();
    const shown = (page, text) => page.getByText(text).filter({ visible: true }).first().waitFor({ timeout: 4_000 });
    const streams = [];
    admin.context.on("request", (r) => r.url().endsWith("/api/events") && streams.push(r));
    await admin.signIn("admin", "/admin/tokens");
    await see(admin.page.getByText("30260001"));
    const people = await admin.context.newPage();
    await people.goto("/admin/people");
    await shown(people, "erin");
    const erin = await open();
    await erin.signIn("erin", "/tokens/30260003");
    await shown(erin.page, "30260003");

    await world.admin.patch("/api/hwkey/30260003", { label: "Seen at once" });
    await shown(admin.page, "Seen at once");
    await shown(erin.page, "Seen at once");
    await world.admin.patch(`/api/admin/users/${world.people.erin.id}`, { name: "Erin Everywhere" });
    await shown(people, "Erin Everywhere");
    await shown(admin.page, "Erin Everywhere");
    assert.equal(streams.length, 1, "one stream for all tabs");

    // Whoever reads goes away: the next tab takes its place.
    await admin.page.close();
    await world.admin.patch("/api/hwkey/30260003", { label: "" });
    await world.admin.patch(`/api/admin/users/${world.people.erin.id}`, { name: "Erin" });
    await eventually("the name is gone", async () => (await people.getByText("Erin Everywhere").count()) === 0, 4_000);
    await eventually("the label is gone", async () => (await erin.page.getByText("Seen at once").count()) === 0, 4_000);
    await world.admin.delete(`/api/auth/sessions/${(await session(world, "erin")).id}`);
    await see(erin.page.getByRole("dialog"));
  });
}

async function session(world, name) {
  const { items } = await world.admin.get(`/api/auth/sessions?user_id=${world.people[name].id}`);
  return items.find((s) => /Chrome/.test(s.user_agent));
}
