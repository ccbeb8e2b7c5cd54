import { randomInt } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Api } from "./api.mjs";
import { environ, folder, Program, run } from "./program.mjs";

/** adminPassword is that of the account admin. */
export const adminPassword = "Admin: long enough, 1st";
/** password is that of everybody else. */
export const password = "Else: long enough, 2nd";

/** Who there is: name to role and organization. */
const cast = {
  mia: ["org_manager", "Acme"],
  carol: ["user", "Acme"],
  dave: ["user", "Acme"],
  erin: ["user", "Acme"],
  gina: ["org_manager", "Globex"],
  olaf: ["user", "Globex"],
};

/**
 * World is an installation: a server with its people, and, where asked for,
 * virtual tokens and an agent that sees them.
 *
 *	const world = await World.start({ tokens: ["20260001"], agent: true });
 */
export class World {
  #home = folder();
  #state = join(this.#home, "v");
  #programs = [];
  #agentPort = 0;
  /** Every account by name: {id, username, password, email}. */
  people = {};
  /** Organizations by name. */
  organizations = {};

  /**
   * tokens: serials of virtual tokens to plug in, whose attestations the server
   * takes, as by scripts/run. agent: whether one runs. license: a license service of its own runs, whose state
   * tests choose.
   * settings: of the server, by their names in docs/configuration.md.
   */
  static async start({ tokens = [], firmware, agent = false, license = false, settings = {} } = {}) {
    const world = new World();
    try {
      await world.#begin(tokens, firmware, agent, license, settings);
      return world;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  async #begin(tokens, firmware, agent, license, settings) {
    this.#agentPort = await freePort();
    const trusted = tokens.length > 0 ? { PKI_ATTESTATION_ROOTS_FILE: await this.#root() } : {};
    const licensing = license ? await this.#licensing() : {};
    await Promise.all([
      this.#serve({ ...trusted, ...licensing, ...settings }),
      tokens.length > 0 ? this.#plugIn(tokens, firmware) : undefined,
    ]);
    await Promise.all([this.#populate(), agent ? this.startAgent() : undefined]);
  }

  #launch(name, args, more = {}) {
    const program = new Program(name, args, environ(this.#home, more));
    this.#programs.push(program);
    return program;
  }

  async #serve(settings) {
    const data = join(this.#home, "data");
    /** database is the server's, a SQLite file. */
    this.database = join(data, "keyward.db");
    this.server = this.#launch("keyward", ["serve", "--data", data, "--listen", "127.0.0.1:0"], {
      KEYWARD_ADMIN_PASSWORD: adminPassword,
      AGENT_URL: this.agentURL,
      ARGON2_MEMORY_MIB: "19", // the least: these people sign in often
      METRICS_LISTEN: "off",
      ...settings,
    });
    const [, site] = await this.server.announces(/keyward is ready.*"site_url":"([^"]+)"/);
    /** site is the server's address in the browser. */
    this.site = site;
  }

  /** #licensing starts a license service, and gives the server's settings for it. */
  async #licensing() {
    const program = this.#launch("licensestates", []);
    [, this.#licenses] = await program.announces(/^ready (\S+)$/m);
    return { LICENSE_SERVICE_URL: this.#licenses, LICENSE_SERVICE_TOKEN: "the-token-of-licensestates" };
  }
  #licenses = "";

  /** #root makes the tokens' attestation root, for the server to read when it starts. */
  async #root() {
    const file = join(this.#home, "root.pem");
    writeFileSync(file, await run("keyward-vtoken", ["root", "--state", this.#state], environ(this.#home)));
    return file;
  }

  async #plugIn(serials, firmware) {
    const args = ["run", "--state", this.#state, ...serials.flatMap((s) => ["--serial", s])];
    if (firmware) args.push("--firmware", firmware);
    const program = this.#launch("keyward-vtoken", args);
    this.#socket = (await program.announces(/^PCSCLITE_CSOCK_NAME=(.+)$/m))[1];
    await program.announces(/ready/);
  }
  #socket = "";

  async #populate() {
    this.admin = await this.api("admin", adminPassword);
    for (const name of ["Acme", "Globex"]) {
      this.organizations[name] = await this.admin.post("/api/admin/organizations", { name });
    }
    this.people.admin = { ...(await this.admin.get("/api/auth/me")), password: adminPassword };
    await Promise.all(Object.entries(cast).map(([name, [role, of]]) => this.person(name, { role, of })));
  }

  /** person makes an account. of: the organization's name, or null. */
  async person(username, { role = "user", of = "Acme", ...more } = {}) {
    const made = await this.admin.post("/api/admin/users", {
      username,
      email: `${username}@${(of ?? "keyward").toLowerCase()}.example`,
      password,
      role,
      ...(of && { organization_id: this.organizations[of].id }),
      ...more,
    });
    this.people[username] = { ...made, password };
    return this.people[username];
  }

  /** api gives a client that is signed in as somebody. */
  api(username, secret = this.people[username].password) {
    return new Api(this.site).signIn(username, secret);
  }

  /** token puts a token on record, as the administrator does. owner: a name, or none. */
  token(serial, { owner, of = "Acme", ...more } = {}) {
    return this.admin.post("/api/hwkey", {
      serial,
      organization_id: this.organizations[of].id,
      ...(owner && { owner_id: this.people[owner].id }),
      model: "YubiKey 5 NFC",
      firmware_version: "5.4.3",
      form_factor: "USB-A",
      ...more,
    });
  }

  /** agentURL is where the page looks for the agent, whether it runs or not. */
  get agentURL() {
    return `http://127.0.0.1:${this.#agentPort}`;
  }

  /**
   * startAgent starts the agent, again with a new key. origin: of the pages that it answers. home: of the user
   * whose agent it is.
   */
  async startAgent({ origin = this.site, home = this.#home } = {}) {
    const args = ["--origin", origin, "--listen", `127.0.0.1:${this.#agentPort}`];
    const more = this.#socket ? { PCSCLITE_CSOCK_NAME: this.#socket } : {};
    this.agent = this.#launch("keyward-agent", args, { ...more, HOME: home });
    await this.agent.announces(/address=/);
  }

  /** agentCode is what a person reads in a terminal: their own agent's, or that of who has another home. */
  async agentCode(home = this.#home) {
    return (await run("keyward-agent", ["code"], environ(home))).trim();
  }

  /** plug puts a token back into its reader. */
  plug(serial) {
    return this.#vtoken("plug", serial);
  }
  /** unplug pulls a token. */
  unplug(serial) {
    return this.#vtoken("unplug", serial);
  }
  /** factoryReset makes a token's PIV application new. */
  factoryReset(serial) {
    return this.#vtoken("factory-reset", serial);
  }
  #vtoken(command, serial) {
    return run("keyward-vtoken", [command, serial, "--state", this.#state], environ(this.#home));
  }

  /** blockPIN has ykman try wrong PINs until the token blocks, or so many. */
  async blockPIN(serial, tries = 3) {
    const env = environ(this.#home, { PCSCLITE_CSOCK_NAME: this.#socket });
    const args = ["--device", serial, "piv", "access", "change-pin", "--pin", "000000", "--new-pin", "111111"];
    // A wrong PIN is what it is about; another program may hold the token meanwhile, and then no try was spent.
    for (let wrong = 0, asked = 0; wrong < tries; ) {
      const said = await run("ykman", args, env).then(String, String);
      if (/tries left|is blocked/.test(said)) wrong++;
      else if (++asked > 20) throw new Error(`ykman says nothing of a wrong PIN: ${said}`);
    }
  }

  /** takesPIN tells whether a token takes a PIN, as ykman says; a wrong one costs a try. */
  async takesPIN(serial, pin) {
    const env = environ(this.#home, { PCSCLITE_CSOCK_NAME: this.#socket });
    const args = ["--device", serial, "piv", "access", "change-pin", "--pin", pin, "--new-pin", pin];
    return run("ykman", args, env).then(
      () => true,
      () => false,
    );
  }

  /** command runs `keyward token OPERATION` as somebody: the page's twin. */
  async command(operation, serial, username, ...more) {
    const args = ["token", operation, "--server", this.site, "--agent", this.agentURL, "--username", username];
    // By standard input: other tests look for passwords in the environments of all processes.
    const secret = `${this.people[username].password}\n`;
    return JSON.parse(
      await run("keyward", [...args, "--serial", serial, "--json", ...more], environ(this.#home), secret),
    );
  }

  /**
   * stale lets the last proof of who somebody is be as old as the server's
   * clock cannot be made: it counts no more as recent, in any session.
   */
  async stale(username) {
    await this.#write(
      "UPDATE sessions SET authenticated_at = authenticated_at - 3600 * 1000000 WHERE user_id = ?",
      this.people[username].id,
    );
  }

  /** ends has the last certificate of a token end so many days from now, and the token be in use. */
  async ends(serial, days) {
    const token = "(SELECT id FROM hwkeys WHERE serial = ?)";
    const end = Math.round(Date.now() + days * 86_400_000) * 1000;
    await this.#write(`UPDATE certificates SET not_after = ${end} WHERE hwkey_id = ${token}`, serial);
    await this.#write("UPDATE hwkeys SET status = 'active' WHERE serial = ?", serial);
  }

  /** vaultOlder has the database know of a later state of the vault, as when an older one was put back. */
  async vaultOlder() {
    await this.#write(
      "UPDATE vault_marks SET value = value + ?1, recent = value + ?1, settled = value + ?1 WHERE name = 'epoch'",
      7,
    );
  }

  /** licensed has the license come to a state of test/licensestates; the server looks every few seconds. */
  async licensed(state) {
    const answer = await fetch(`${this.#licenses}/test/state`, { method: "PUT", body: state });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** licenseFile issues a license for this installation. from, to: in days from now. */
  async licenseFile(from, to) {
    const answer = await fetch(`${this.#licenses}/test/license?from=${from}&to=${to}`);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.text();
  }

  /** write changes the server's database behind its back. */
  async #write(statement, parameter) {
    const script = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=10)
db.execute(sys.argv[2], (sys.argv[3],))
db.commit()
`;
    await run("python3", ["-c", script, this.database, statement, String(parameter)], environ(this.#home));
  }

  /** log is what all programs wrote, for the report of a failure. */
  get log() {
    return this.#programs.map((p) => `--- ${p.name}\n${p.log}`).join("\n");
  }

  /** stop ends all programs and removes their data. */
  async stop() {
    for (const program of this.#programs.toReversed()) await program.stop();
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/**
 * freePort finds a port that nobody listens on now, since the server must be
 * told of the agent's before there is one. It lies below those that the kernel
 * gives to who asks for any: otherwise another program has it before the agent.
 */
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer().on("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
