import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** bin is where the programs under test are. */
export const bin = process.env.KEYWARD_BIN ?? new URL("../../../../bin", import.meta.url).pathname;

/** environ is all that a program under test gets of the environment: nothing of the tester's may help it. */
export function environ(home, more = {}) {
  return { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir(), LANG: "C.UTF-8", LC_ALL: "C.UTF-8", ...more };
}

/** folder makes a new, empty folder. Whoever asks for it removes it. */
export function folder() {
  return mkdtempSync(join(tmpdir(), "kw-")); // short: the path of a socket has 107 bytes at most
}

/**
 * Program is one of our programs, or one on the PATH, running. The kernel ends it together with
 * this process, however that ends.
 */
export class Program {
  #child;
  #ended;
  #waiting = new Set();
  /** What it wrote so far, both streams. */
  log = "";

  /** input: what it reads; null leaves it open for tell. */
  constructor(name, args, env, input = "") {
    this.name = name;
    const path = /^(keyward|licensestates$)/.test(name) ? join(bin, name) : name;
    this.#child = spawn("setpriv", ["--pdeathsig", "TERM", "--", path, ...args], {
      env,
      cwd: env.HOME,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.output = "";
    this.#child.stdin.on("error", () => {}); // it may end without reading
    if (input !== null) this.#child.stdin.end(input);
    this.#child.stdout.on("data", (data) => {
      this.output += data;
      this.#wrote(data);
    });
    this.#child.stderr.on("data", (data) => this.#wrote(data));
    this.#ended = new Promise((resolve) => {
      this.#child.on("error", (error) => this.#wrote(`${error}\n`));
      this.#child.on("close", (code, signal) => {
        this.code = code ?? signal;
        for (const look of this.#waiting) look();
        resolve(this.code);
      });
    });
  }

  #wrote(data) {
    this.log += data;
    for (const look of this.#waiting) look();
  }

  /** announces waits for a line that the pattern fits, and gives the match. */
  announces(pattern) {
    return new Promise((resolve, reject) => {
      const settle = (action, value) => {
        this.#waiting.delete(look);
        action(value);
      };
      const look = () => {
        const match = pattern.exec(this.log);
        if (match) settle(resolve, match);
        else if (this.code !== undefined) settle(reject, new Error(`${this.name} ended (${this.code}):\n${this.log}`));
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** tell writes a line to it. */
  tell(line) {
    this.#child.stdin.write(`${line}\n`);
  }

  /** done waits for its end, and gives what it wrote to standard output; another exit code than 0 is an error. */
  async done() {
    const code = await this.#ended;
    if (code !== 0) throw new Error(`${this.name} ended with ${code}:\n${this.log}`);
    return this.output;
  }

  /** stop asks it to end, and insists when it does not. */
  async stop() {
    if (this.code !== undefined) return;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 15_000);
    await this.#ended;
    clearTimeout(timer);
  }
}

/** run carries a program out to its end. */
export function run(name, args, env, input) {
  return new Program(name, args, env, input).done();
}
