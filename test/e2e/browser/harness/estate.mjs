import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { label, models, organizations, person } from "./names.mjs";
import { MailServer } from "./smtp.mjs";

const exec = promisify(execFile);
const people = 481; // besides those of every world, and of the fleet
const tokens = 2942;
const signed = 720;

/** settings of a server that an estate is made on: it is made faster than people work. */
export const estateSettings = {
  RELEASE_LIMIT_PER_HOUR: "10000",
  RATE_LIMIT_SESSION: "off",
  RATE_LIMIT_LOGIN: "off",
  PKI_KEY_TYPES: "rsa-2048,ec-p256",
};

/**
 * estate makes of a world with a fleet one with 3,000 tokens, 500 people, 5
 * organizations and some 740 certificates in all slots and states, and lets
 * mail, backups and webhooks have worked for a while.
 */
export async function estate(world, fleetShown) {
  const owned = await stock(world, await populate(world));
  await sign(world, owned);
  await operate(world);
  await past(world);
  return fleetShown;
}

/** populate has the organizations and people imported, and gives who there is: {username, name, organization}. */
async function populate(world) {
  const { admin } = world;
  for (const [name, domain] of organizations) {
    world.organizations[name] = await admin.post("/api/admin/organizations", { name, email_domains: [domain] });
  }
  const homes = [["Acme", "acme.example"], ["Globex", "globex.example"], ...organizations];
  const all = Array.from({ length: people }, (_, i) => {
    const [organization, domain] = homes[[0, 0, 1, 2, 3, 0, 4, 1][i % 8]];
    const { name, username } = person(i);
    const email = `${username}@${domain}`;
    return { name, username, email, organization, role: i % 97 === 5 ? "org_manager" : "user" };
  });
  const quoted = (values) => values.map((v) => `"${v.replaceAll('"', '""')}"`).join(",");
  const rows = all.map((p) => quoted([p.username, p.email, p.name, p.role, p.organization]));
  await admin.post(
    "/api/admin/users/import",
    `username,email,name,role,organization\n${rows.join("\n")}\n`,
    "text/csv",
  );
  return all;
}

/** stock has the tokens imported, and gives those that belong to somebody. */
async function stock(world, all) {
  const owned = [];
  const rows = Array.from({ length: tokens }, (_, i) => {
    const owner = i % 13 < 9 ? all[(i * 7) % all.length] : undefined;
    const serial = String(14_203_117 + i * 4_721);
    if (owner) owned.push({ serial, owner });
    const [model, firmware, form] = models[(i * 5 + Math.floor(i / 11)) % models.length];
    const organization = owner?.organization ?? ["Acme", "Globex", organizations[1][0]][i % 3];
    return [serial, label(i, owner?.name), model, firmware, form, owner?.username ?? "", organization]
      .map((v) => `"${v}"`)
      .join(",");
  });
  const head = "serial,label,model,firmware_version,form_factor,owner,organization";
  await world.admin.post("/api/hwkey/import", `${head}\n${rows.join("\n")}\n`, "text/csv");
  return owned;
}

/** sign has certificates issued for keys that lie nowhere, some revoked. */
async function sign(world, owned) {
  await world.person("petra.lang", { role: "global_admin", of: null, name: "Petra Lang" });
  const desk = await world.api("petra.lang");
  const public_key = await readFile(new URL("agent.pub.pem", import.meta.url), "utf8");
  await desk.post(`/api/session/${desk.session}/register-agent`, { public_key });
  const slots = ["9a", "9a", "9a", "9c", "9a", "9a", "9d", "9a", "9c", "9e"];
  const revoked = ["superseded", "keyCompromise", "affiliationChanged", "cessationOfOperation"];
  const one = async (i) => {
    const slot = slots[i % slots.length];
    // A slot besides 9a is of the token before, which has one in 9a, too.
    const { serial, owner } = owned[((slot === "9a" || i % 3 === 0 ? i : i - 1) * 7) % owned.length];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null"];
    const { stdout: csr } = await exec("openssl", ["req", "-new", ...key, "-subj", `/CN=${owner.username}`]);
    const made = await desk.post(`/api/hwkey/${serial}/sign-csr`, { csr, slot, reason: "Rollout" });
    if (i % 17 === 3) {
      const reason = revoked[Math.floor(i / 17) % revoked.length];
      await desk.post(`/api/certificates/${made.serial_number}/revoke`, { reason });
    } else if (i % 41 !== 7) await desk.post(`/api/certificates/${made.serial_number}/installed`);
  };
  for (let from = 0; from < signed; from += 6) {
    await Promise.all(Array.from({ length: Math.min(6, signed - from) }, (_, i) => one(from + i)));
  }
  const serials = (from, count) => owned.slice(from, from + count).map((t) => t.serial);
  const bulk = (some, status, reason) => world.admin.post("/api/hwkey/bulk", { serials: some, status, reason });
  await bulk(serials(1500, 24), "suspended", "Parental leave");
  await bulk(serials(1600, 37), "retired", "Replaced by series 5.7");
  await bulk(serials(1700, 11), "lost", "Reported to the help desk");
}

/** until waits for something, or says after so many seconds what never came. */
async function until(what, seconds, there) {
  const end = Date.now() + seconds * 1000;
  while (!(await there())) {
    if (Date.now() > end) throw new Error(`${what} did not come within ${seconds} s`);
    await new Promise((go) => setTimeout(go, 300));
  }
}

/** operate lets mail and backups work, and some webhooks, keys and links be there. */
async function operate(world) {
  const { admin, organizations: of } = world;
  const smtp = await MailServer.start();
  const mail = { enabled: true, host: "127.0.0.1", port: smtp.port, security: "none", from: "keyward@acme.example" };
  await admin.put("/api/admin/settings/mail", mail);
  await admin.put("/api/backup/settings", {
    encryption_password: "Estate: long enough, 5th",
    schedule: "15 2 * * *",
    retention_days: 30,
  });
  const ended = () =>
    until("the backup's end", 120, async () => !(await admin.get("/api/backup/jobs/running")).items?.length);
  for (const type of ["full", "database", "full"]) {
    await admin.post("/api/backup/trigger", { type });
    await ended();
  }
  const { items } = await admin.get("/api/backup/list");
  await admin.post("/api/backup/drill", { key: items[0].key });
  await ended();
  for (const [name, organization] of [
    ["CMDB export", "Globex"],
    ["HR leaver automation (Workday)", "Acme"],
    ["Nightly reconciliation with the asset register", "Initech"],
  ]) {
    await admin.post("/api/admin/api-keys", { name, role: "org_manager", organization_id: of[organization].id });
  }
  await admin.post("/api/admin/webhooks", {
    url: "https://hooks.chat.globex.example/services/T024BE91L/B7QH0Z2KD/keyward-notifications",
    description: "Chat channel #token-desk",
    actions: ["hwkey.", "certificate."],
    organization_id: of.Globex.id,
  });
  // What mail tells: passwords that are reset, at once, and tokens that go to somebody; then the mail server is away.
  const given = await admin.get("/api/hwkey?status=in_stock&limit=40");
  const { items: owners } = await admin.get("/api/admin/users?q=weber&limit=9");
  for (const [i, { serial }] of given.items.entries()) {
    if (i === 30) {
      await until("20 messages at the mail server", 120, () => smtp.messages.length >= 20);
      smtp.stop();
    }
    const { id: owner_id, organization_id } = owners[i % owners.length];
    await admin.patch(`/api/hwkey/${serial}`, { owner_id, organization_id });
    await admin.post(`/api/admin/users/${owner_id}/reset-password`);
  }
}

/** past lets the records look older than a new installation can make them. */
async function past(world) {
  const script = `
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], timeout=30)
day = 86400 * 1000000
now = int(time.time() * 1000000)
(hash,) = db.execute("SELECT password_hash FROM users WHERE username = 'carol'").fetchone()
for (id,) in db.execute("SELECT id FROM users WHERE name <> ''").fetchall():
    made = now - (id * 37 % 700 + 30) * day
    seen = now - id * id * 7919000019 % (40 * day) if id % 11 else None
    db.execute("UPDATE users SET password_hash = CASE WHEN ? THEN ? ELSE password_hash END, created_at = ?, last_login_at = ? WHERE id = ?",
        (id % 19 != 0, hash, made, seen, id))
for name, real in [("carol", "Carol Whitaker"), ("dave", "David Lindqvist"), ("erin", "Erin O’Connor"), ("mia", "Mia Baumgartner"),
    ("gina", "Gina Rossi"), ("olaf", "Olaf Jensen"), ("admin", "Ada Okafor"), ("frida", "Frida Novák"), ("goran", "Goran Ivanov")]:
    db.execute("UPDATE users SET name = ?, name_key = ? WHERE username = ?", (real, real.lower(), name))
for n, (id,) in enumerate(db.execute("SELECT id FROM hwkeys WHERE serial NOT LIKE '2026%' ORDER BY id").fetchall()):
    db.execute("UPDATE hwkeys SET registered_at = ? WHERE id = ?", (now - (n * 53 % 640 + 20) * day - n * 977777777 % day, id))
db.execute("""UPDATE hwkeys SET enrolled_at = registered_at + 86400000000, last_seen_at = ? - id % 45 * 86400000000 - id * 7777777,
    status = CASE WHEN status = 'assigned' THEN 'active' ELSE status END
    WHERE serial NOT LIKE '2026%' AND id IN (SELECT hwkey_id FROM certificates)""", (now,))
rows = db.execute("SELECT c.id FROM certificates c JOIN hwkeys h ON h.id = c.hwkey_id WHERE h.serial LIKE '1%' OR h.serial LIKE '2%' AND h.serial NOT LIKE '2026%' ORDER BY c.id").fetchall()
for n, (id,) in enumerate(rows):
    ends = -(n % 90) - 1 if n % 12 == 5 else n % 30 + 1 if n % 19 == 2 else (n * 89) % 330 + 31
    by = (364 - ends) * day
    db.execute("UPDATE certificates SET not_before = not_before - ?, not_after = not_after - ?, installed_at = installed_at - ? WHERE id = ?",
        (by, by, by, id))
    db.execute("UPDATE certificates SET revoked_at = revoked_at - ? WHERE id = ? AND revoked_at IS NOT NULL", (min(by, n % 60 * day), id))
for n, (id,) in enumerate(db.execute("SELECT id FROM webhook_deliveries ORDER BY id").fetchall()):
    if n % 9 == 4:
        db.execute("UPDATE webhook_deliveries SET status = 'failed', attempts = 8, next_attempt_at = NULL, last_status_code = 503, last_error = 'status_refused' WHERE id = ?", (id,))
    elif n % 9 != 7:
        db.execute("UPDATE webhook_deliveries SET status = 'delivered', attempts = 1, next_attempt_at = NULL, last_status_code = 204, last_error = '', delivered_at = created_at + 300000 WHERE id = ?", (id,))
db.commit()
`;
  await exec("python3", ["-c", script, world.database]);
}
