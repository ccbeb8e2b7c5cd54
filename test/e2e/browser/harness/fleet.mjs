import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** Virtual tokens of the fleet: carol's two, dave's and erin's. */
export const fleetTokens = ["20260001", "20260002", "20260003", "20260004"];
const [work, spare, daves, erins] = fleetTokens;

const staff = ["frida", "goran", "helen", "ivan", "jana", "karim", "lotte", "mario"];
const owners = ["carol", "dave", "", "", "erin", ...staff.slice(0, 3), "", ...staff.slice(3), "", "carol", ""];
const firmware = ["5.4.3", "5.7.1", "5.2.7", "5.7.4", "5.4.3", "5.7.4", "5.7.4"];
const forms = [
  ["YubiKey 5C NFC", "USB-C"],
  ["YubiKey 5 NFC", "USB-A"],
  ["YubiKey 5C Nano", "USB-C"],
];
const imported = (i) => String(30260000 + i);

/**
 * fleet fills an installation with what one looks like after a while: tokens
 * in all states, certificates that expire sooner and later, an eventful log.
 * The real agent enrols the tokens of fleetTokens, but for the spare. few: it
 * makes less of everything. What it gives is for at() of pages.mjs.
 */
export async function fleet(world, { few = false } = {}) {
  const { admin } = world;
  await Promise.all(staff.map((name) => world.person(name)));
  let csv = "serial,label,model,firmware_version,form_factor,owner,organization\n";
  for (let i = 0; i < (few ? 18 : 54); i++) {
    const [model, form] = forms[i % forms.length];
    const owner = i < owners.length ? owners[i] : "";
    csv += `${imported(i)},Key ${i + 1},${model},${firmware[i % firmware.length]},${form},${owner},Acme\n`;
  }
  await admin.post("/api/hwkey/import", csv, "text/csv");
  await world.token(work, { owner: "carol", label: "Work key" });
  await world.token(spare, { owner: "carol", label: "Spare key, in the safe" });
  await world.token(daves, { owner: "dave", label: "Laptop" });
  await world.token(erins, { owner: "erin", label: "Desk" });
  await Promise.all([cards(world, few), sign(world, few ? 5 : owners.length)]);
  await age(world);
  const webhook = await happenings(world);
  const { items } = await admin.get(`/api/certificates?hwkey_serial=${work}`);
  return {
    serial: work,
    certificate: items[0].serial_number,
    webhook,
    person: world.people.carol.id,
    organization: world.organizations.Acme.id,
  };
}

/** cards enrols the virtual tokens. */
async function cards(world, few) {
  await world.command("enroll", work, "carol");
  if (few) return;
  await world.command("enroll", daves, "dave");
  await world.command("enroll", erins, "erin");
  await world.command("renew", daves, "mia", "--reason", "New laptop, set up by the help desk");
  await world.command("renew", erins, "mia", "--reason", "Renewed at the desk");
}

/**
 * issue has the help desk sign a certificate for a token of somebody, for a key that lies nowhere. Nothing attests it, so
 * that takes a registered agent: the public key of one that never ran.
 */
export async function issue(world, serial, owner) {
  if (!world.people.nora) {
    await world.person("nora", { role: "org_manager" });
    world.desk = await world.api("nora");
    const public_key = await readFile(new URL("agent.pub.pem", import.meta.url), "utf8");
    await world.desk.post(`/api/session/${world.desk.session}/register-agent`, { public_key });
  }
  const args = ["req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-subj", `/CN=${owner}`];
  const { stdout: csr } = await exec("openssl", args);
  return world.desk.post(`/api/hwkey/${serial}/sign-csr`, { csr, slot: "9a", reason: "Made at the help desk" });
}

/** sign has certificates issued for the imported tokens that have owners, and confirmed for most. */
async function sign(world, count) {
  for (let i = 0; i < count; i++) {
    if (!owners[i]) continue;
    const made = await issue(world, imported(i), owners[i]);
    if (i % 5 !== 4) await world.admin.post(`/api/certificates/${made.serial_number}/installed`);
  }
}

/**
 * age lets the records of the imported tokens' certificates look older than a
 * new installation can make them, so that lists and charts have something to
 * show. The certificates themselves stay as they are.
 */
async function age(world) {
  const script = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=10)
day = 86400 * 1000000
rows = db.execute("SELECT c.id FROM certificates c JOIN hwkeys h ON h.id = c.hwkey_id WHERE h.serial LIKE '3026%' ORDER BY c.id").fetchall()
for i, (row,) in enumerate(rows):
    by = (361 - i * i * 2) * day
    db.execute("UPDATE certificates SET not_before = not_before - ?, not_after = not_after - ? WHERE id = ?", (by, by, row))
db.commit()
`;
  await exec("python3", ["-c", script, world.database]);
}

/** happenings are what keeps a help desk busy. It gives the id of a webhook. */
async function happenings(world) {
  const { admin, organizations } = world;
  const change = (i, status) => admin.patch(`/api/hwkey/${imported(i)}`, { status });
  await change(0, "suspended");
  await change(2, "retired");
  await change(3, "retired");
  await change(15, "lost");
  const { items } = await admin.get(`/api/certificates?hwkey_serial=${imported(4)}`);
  await admin.post(`/api/certificates/${items[0].serial_number}/revoke`, { reason: "keyCompromise" });
  const organization_id = organizations.Acme.id;
  await admin.post("/api/admin/api-keys", { name: "Inventory", role: "org_manager", organization_id });
  const hook = await admin.post("/api/admin/webhooks", {
    url: "https://siem.acme.example/keyward",
    description: "SIEM",
  });
  const { id } = await world.person("frank");
  await admin.patch(`/api/admin/users/${id}`, { is_active: false });
  await world.person("heidi", { must_change_password: true });
  for (let i = 0; i < 5; i++) await world.api("olaf", "a guess").catch(() => {});
  await world.api("mia");
  return hook.id;
}
