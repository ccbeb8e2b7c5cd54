import type { components } from "../api/backend.gen";
import { isProblem, type Problem, problemOf, reach, Unreachable } from "../api/problem";

type Grant = components["schemas"]["Grant"];

/**
 * unknown: not asked yet. ended: there was a session in this page, and it is
 * over; why says how. other: somebody else signed in, in this browser.
 */
export type State =
  | { kind: "unknown" }
  | { kind: "out" }
  | { kind: "in"; sessionId: number; generation: number }
  | { kind: "ended"; why: "expired" | "elsewhere" | "other" };

const early = 60_000; // ms before the access token's end
const header = { "X-Keyward-Client": "web" };

/** What the server sets and deletes beside the cookie that no script reads: it says that there is one, of which session. */
const hints = ["__Host-keyward_session", "keyward_session"];
const hint = () => document.cookie.split("; ").find((c) => hints.includes(c.split("=")[0] ?? ""));
function unhint(): void {
  for (const name of hints) {
    const secure = name.startsWith("__Host-") ? "; Secure" : "";
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the other way to delete one
    document.cookie = `${name}=; Path=/; Max-Age=0${secure}`;
  }
}

/**
 * Session holds the access token, in the memory of this page only. The refresh
 * token is a cookie that no script can read (docs/security.md). All requests
 * to the server go through fetch, which renews the access token when needed.
 */
class Session {
  #token = "";
  #user = 0; // whose page this is, from the first sign-in until it is loaded anew
  #expires = 0; // ms since 1970
  #renewal: Promise<boolean> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: State = { kind: "unknown" };
  #generation = 0;
  readonly #listeners = new Set<() => void>();
  readonly #proofs = new Set<() => void>();
  readonly #channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("keyward-session");

  constructor() {
    this.#channel?.addEventListener("message", (e) => {
      if (e.data === "out" && this.#state.kind === "in") this.#drop({ kind: "ended", why: "elsewhere" });
      const user: unknown = e.data?.in;
      if (typeof user !== "number") return;
      if (this.#state.kind !== "in") this.restore().catch(ignore);
      else if (user !== this.#user) this.#leave();
      else for (const listener of this.#proofs) listener();
    });
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): State => this.#state;

  /**
   * onProof tells when this page's person has proved who they are in another
   * tab or window. What that is worth only the server knows: restore, and try.
   */
  onProof = (listener: () => void): (() => void) => {
    this.#proofs.add(listener);
    return () => this.#proofs.delete(listener);
  };

  /** login may throw Problem: invalid_credentials, account_locked, password_expired, … */
  async login(username: string, password: string): Promise<void> {
    this.#enter((await inTurn(() => this.#post("/api/auth/login", { username, password }))) as Grant);
  }

  /** exchange takes the one-time code that a round of single sign-on ends with. */
  async exchange(code: string): Promise<void> {
    this.#enter((await inTurn(() => this.#post("/api/auth/oidc/exchange", { code }))) as Grant);
  }

  /** reauthenticate proves anew who the person is, by the password or by the code of such a round. */
  async reauthenticate(proof: { password: string } | { code: string }): Promise<void> {
    const response = await this.fetch(
      new Request("/api/auth/reauthenticate", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(proof),
      }),
    );
    if (!response.ok) throw await problemOf(response);
    this.#tell(this.#user);
  }

  /** absent is true where nobody has a session in this browser, as far as one can know without asking. */
  absent(): boolean {
    if (this.#state.kind !== "unknown" || hint()) return false;
    this.#set({ kind: "out" });
    return true;
  }

  /** restore signs in by the cookie, after a reload. False when there is no session to go on with. */
  async restore(): Promise<boolean> {
    if (this.absent()) return false;
    const ok = await this.#renew();
    if (!ok && this.#state.kind === "unknown") this.#set({ kind: "out" });
    return ok;
  }

  /**
   * logout returns where to end the provider's session, if there is one. It
   * throws while the session may live on at the server, with its cookie here.
   */
  async logout(): Promise<string | undefined> {
    const request = new Request("/api/auth/logout", { method: "POST", headers: header });
    const response = await inTurn(() => this.fetch(request));
    // After a 401 fetch has tried to renew: without success the session is over, unless it could not ask.
    const over = response.status === 401 && this.#state.kind !== "in";
    if (!response.ok && !over) throw await problemOf(response);
    // The cookie is another person's by now, whose session is none of this page's business.
    if (this.#state.kind === "ended" && this.#state.why === "other") return undefined;
    this.#drop({ kind: "out" });
    this.#channel?.postMessage("out");
    if (!response.ok) return undefined;
    try {
      return ((await response.json()) as { logout_url?: string }).logout_url;
    } catch {
      return undefined; // the answer was cut off; the session is over all the same
    }
  }

  /** fetch sends a request with the access token; a rejected token is renewed once. */
  fetch = async (request: Request): Promise<Response> => {
    if (this.#state.kind === "in" && Date.now() > this.#expires - early / 2) await this.#renew();
    const again = request.clone(); // a body can be read once only
    const response = await this.#send(request);
    if (response.status !== 401 || this.#state.kind !== "in") return response;
    const problem = await problemOf(response.clone());
    if (!isProblem(problem, "token_expired", "token_invalid", "token_missing", "session_not_found")) return response;
    if (!(await this.#renew())) return response;
    return this.#send(again);
  };

  /**
   * peek reads with the access token as it is. It renews nothing, and so ends nothing in this page: a restore ends
   * all sessions, and how it goes on can still be read by the token of who began it.
   */
  peek = (path: string): Promise<Response> => this.#send(new Request(path));

  async #send(request: Request): Promise<Response> {
    if (this.#token) request.headers.set("Authorization", `Bearer ${this.#token}`);
    // What the server says in words, it says in the page's language, which the document has.
    const language = globalThis.document?.documentElement.lang;
    if (language) request.headers.set("Accept-Language", language);
    return reach(request, { credentials: "same-origin" });
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const response = await this.#send(
      new Request(path, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...header },
        body: JSON.stringify(body),
      }),
    );
    if (!response.ok) throw await problemOf(response);
    return response.json();
  }

  /** #renew takes a new access token by the cookie; one tab at a time, once for all who wait. */
  #renew(): Promise<boolean> {
    this.#renewal ??= locked(() => this.#refresh()).finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #refresh(): Promise<boolean> {
    const asked = hint();
    let response: Response;
    try {
      response = await reach("/api/auth/refresh", { method: "POST", headers: header, credentials: "same-origin" });
    } catch (cause) {
      if (this.#state.kind === "unknown") throw cause;
      return false; // the next request tries again
    }
    if (response.ok) {
      let grant: Grant;
      try {
        grant = (await response.json()) as Grant;
      } catch (cause) {
        if (this.#state.kind === "unknown") throw new Unreachable("server", cause);
        return false; // cut off: likewise
      }
      return this.#take(grant);
    }
    const problem: Problem = await problemOf(response);
    const refused = problem.code !== "unknown"; // or else a proxy did
    if (refused && problem.status === 401) {
      // Another tab has signed in meanwhile: what was refused is the session before.
      const now = hint();
      if (now && now !== asked) return this.#refresh();
      unhint();
    }
    if (refused && (problem.status === 401 || problem.status === 403)) {
      if (this.#state.kind === "in") this.#drop({ kind: "ended", why: "expired" });
    } else if (this.#state.kind === "unknown") {
      throw problem;
    }
    return false;
  }

  #enter(grant: Grant): void {
    this.#take(grant);
    this.#tell(grant.user.id);
  }

  /** #tell lets the other tabs know who proved who they are. They take tokens from the cookie, never from a message. */
  #tell(user: number): void {
    this.#channel?.postMessage({ in: user });
  }

  /** #take goes on by a grant. False: it is another person's, who does not get this page. */
  #take(grant: Grant): boolean {
    if (this.#user !== 0 && this.#user !== grant.user.id) {
      this.#leave();
      return false;
    }
    this.#user = grant.user.id;
    this.#token = grant.access_token;
    this.#expires = Date.now() + grant.expires_in * 1000;
    clearTimeout(this.#timer);
    // A token that lives shorter than the margin is renewed at half its time.
    this.#timer = setTimeout(
      () => void this.#renew().catch(ignore),
      Math.max((grant.expires_in * 1000) / 2, grant.expires_in * 1000 - early),
    );
    this.#set({ kind: "in", sessionId: grant.session_id, generation: ++this.#generation });
    return true;
  }

  /**
   * #leave begins anew for another person. What still goes on in this page was
   * begun by the former one, and gets no token any more.
   */
  #leave(): void {
    this.#drop({ kind: "ended", why: "other" });
    location.assign("/");
  }

  #drop(state: State): void {
    this.#token = "";
    this.#expires = 0;
    clearTimeout(this.#timer);
    this.#set(state);
  }

  #set(state: State): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** ignore: nobody waits for this, and the next request finds out for itself. */
function ignore(): void {}

/** locked runs one renewal at a time over all tabs of this browser. */
function locked<T>(task: () => Promise<T>): Promise<T> {
  if (typeof navigator === "undefined" || !navigator.locks) return task();
  return navigator.locks.request("keyward-refresh", task) as Promise<T>;
}

const turn = 15_000; // ms that a sign-in or a sign-out waits for another one's answer

/**
 * inTurn has a sign-in and a sign-out wait for each other's answer, over all tabs of this browser: one sets the
 * cookies that the other deletes, and what comes last counts. One that takes too long is not waited for.
 */
async function inTurn<T>(task: () => Promise<T>): Promise<T> {
  if (typeof navigator === "undefined" || !navigator.locks) return task();
  let begun = false;
  const begin = () => {
    begun = true;
    return task();
  };
  try {
    return (await navigator.locks.request("keyward-sign-in", { signal: AbortSignal.timeout(turn) }, begin)) as T;
  } catch (error) {
    if (begun) throw error;
    return task();
  }
}

export const session = new Session();
