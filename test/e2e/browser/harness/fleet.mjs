import { execFile } from "node:child_process";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** Virtual tokens of the fleet: carol's two, dave's and erin's. */
export const fleetTokens = ["20260001", "20260002", "20260003", "20260004"];
const [work, spare, daves, erins] = fleetTokens;
/** The token and the certificate that pages of one are shown with. */
export const shown = { serial: work, certificate: "" };

const imported = (i) => String(30260000 + i);
const firmware = ["5.4.3", "5.7.1", "5.2.7", "5.7.4", "5.4.3", "5.7.4"];
const forms = [
  ["YubiKey 5C NFC", "USB-C"],
  ["YubiKey 5 NFC", "USB-A"],
  ["YubiKey 5C Nano", "USB-C"],
];
const owners = ["carol", "dave", "erin", "", "", ""];

/**
 * fleet fills an installation with what one looks like after a while: tokens
 * in all states, certificates that expire sooner and later, an eventful log.
 * The tokens of fleetTokens are enrolled by the real agent, but for the spare.
 */
export async function fleet(world) {
  const { admin } = world;
  let csv = "serial,label,model,firmware_version,form_factor,owner,organization\n";
  for (let i = 0; i < 48; i++) {
    const [model, form] = forms[i % forms.length];
    csv += `${imported(i)},Key ${i + 1},${model},${firmware[i % firmware.length]},${form},${owners[i % 6]},Acme\n`;
  }
  await admin.post("/api/hwkey/import", csv, "text/csv");
  await world.token(work, { owner: "carol", label: "Work key" });
  await world.token(spare, { owner: "carol", label: "Spare key, in the safe" });
  await world.token(daves, { owner: "dave", label: "Laptop" });
  await world.token(erins, { owner: "erin", label: "Desk" });
  await world.command("enroll", work, "carol");
  await world.command("enroll", daves, "dave");
  await world.command("enroll", erins, "erin");
  await world.command("renew", daves, "dave");
  await sign(world);
  await age(world);
  await happenings(world);
  const { items } = await admin.get(`/api/certificates?hwkey_serial=${work}`);
  shown.certificate = items[0].serial_number;
}

/** sign has certificates issued for the imported tokens that have owners. */
async function sign(world) {
  for (let i = 0; i < 24; i++) {
    const owner = owners[i % 6];
    if (!owner) continue;
    const args = ["req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-subj", `/CN=${owner}`];
    const { stdout: csr } = await exec("openssl", args);
    await world.admin.post(`/api/hwkey/${imported(i)}/sign-csr`, { csr, slot: "9a" });
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
    by = (361 - i * 9) * day
    db.execute("UPDATE certificates SET not_before = not_before - ?, not_after = not_after - ? WHERE id = ?", (by, by, row))
db.commit()
`;
  await exec("python3", ["-c", script, world.database]);
}

/** happenings are what keeps a help desk busy. */
async function happenings(world) {
  const { admin, organizations } = world;
  for (const [i, status] of [
    [7, "suspended"],
    [8, "lost"],
    [13, "lost"],
    [4, "retired"],
    [10, "retired"],
  ]) {
    await admin.patch(`/api/hwkey/${imported(i)}`, { status });
  }
  for (const [i, reason] of [
    [18, "superseded"],
    [19, "affiliationChanged"],
    [20, "keyCompromise"],
  ]) {
    const { items } = await admin.get(`/api/certificates?hwkey_serial=${imported(i)}`);
    await admin.post(`/api/certificates/${items[0].serial_number}/revoke`, { reason });
  }
  const organization_id = organizations.Acme.id;
  await admin.post("/api/admin/api-keys", { name: "Inventory", role: "org_manager", organization_id });
  await admin.post("/api/admin/webhooks", { url: "https://siem.acme.example/keyward", description: "SIEM" });
  const { id } = await world.person("frank");
  await admin.patch(`/api/admin/users/${id}`, { is_active: false });
  await world.person("heidi", { must_change_password: true });
  for (let i = 0; i < 5; i++) await world.api("olaf", "a guess").catch(() => {});
  await world.api("mia");
}
