import assert from "node:assert/strict";
import { eventually, see } from "../harness/suite.mjs";

/** live are pages that follow what others do. Nothing is reloaded here, and no page looks again by itself this soon. */
export function live(test) {
  test("what others change shows on the pages that are open", async ({ world, open }) => {
    const admin = await open();
    const shown = (page, text) => page.getByText(text).filter({ visible: true }).first().waitFor({ timeout: 15_000 });
    const streams = [];
    admin.context.on("request", (r) => r.url().endsWith("/api/events") && streams.push(r));
    await admin.signIn("admin", "/admin/tokens?q=3026000");
    await shown(admin.page, "30260002");
    const people = await admin.context.newPage();
    await people.goto("/admin/people?q=dave");
    await shown(people, "dave");
    const dave = await open();
    await dave.signIn("dave", "/tokens/30260002");
    await shown(dave.page, "30260002");

    await world.admin.patch("/api/hwkey/30260002", { label: "Seen at once" });
    await shown(admin.page, "Seen at once");
    await shown(dave.page, "Seen at once");
    await world.admin.patch(`/api/admin/users/${world.people.dave.id}`, { name: "Dave Everywhere" });
    await shown(people, "Dave Everywhere");
    await shown(admin.page, "Dave Everywhere");
    assert.equal(streams.length, 1, "one stream for all tabs");

    // Whoever reads goes away: the next tab takes its place.
    await admin.page.close();
    await world.admin.patch("/api/hwkey/30260002", { label: "" });
    await world.admin.patch(`/api/admin/users/${world.people.dave.id}`, { name: "Dave" });
    await eventually("the name is gone", async () => (await people.getByText("Dave Everywhere").count()) === 0);
    await eventually("the label is gone", async () => (await dave.page.getByText("Seen at once").count()) === 0);
    await world.admin.delete(`/api/auth/sessions/${(await session(world, "dave")).id}`);
    await see(dave.page.getByRole("dialog"));
  });
}

async function session(world, name) {
  const { items } = await world.admin.get(`/api/auth/sessions?user_id=${world.people[name].id}`);
  return items.find((s) => /Chrome/.test(s.user_agent));
}
