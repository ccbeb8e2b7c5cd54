import { afterEach, beforeEach, expect, test, vi } from "vitest";

const RealRequest = Request;
const assign = vi.fn();
const fetched = vi.fn<(input: Request | string) => Promise<Response>>();
let html: { cookie: string; documentElement: { lang: string } };
let tabs: { listener?: (e: { data: unknown }) => void; said: unknown[] };

/** page loads the module anew, as a page does. */
async function page() {
  vi.resetModules();
  return (await import("./session")).session;
}

function grant(user: number) {
  return Response.json({
    access_token: `token of ${user}`,
    token_type: "Bearer",
    expires_in: 1800,
    session_id: 7,
    user: { id: user },
  });
}

/** signedIn is a page at which ann is. */
async function signedIn() {
  const session = await page();
  answers(grant(1));
  await session.login("ann", "secret");
  return session;
}

function refusal(status: number, code: string) {
  return Response.json({ code, detail: code }, { status });
}

/** answers gives the server's answers, in turn; an Error is none. */
function answers(...list: (Response | Error)[]) {
  for (const a of list) {
    if (a instanceof Error) fetched.mockRejectedValueOnce(a);
    else fetched.mockResolvedValueOnce(a);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  fetched.mockReset();
  assign.mockReset();
  tabs = { said: [] };
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("location", { assign });
  html = { cookie: "a=b; keyward_session=1", documentElement: { lang: "en" } };
  vi.stubGlobal("document", html);
  vi.stubGlobal(
    "Request",
    class extends RealRequest {
      constructor(input: string, init?: RequestInit) {
        super(new URL(input, "https://keyward.example"), init);
      }
    },
  );
  vi.stubGlobal(
    "BroadcastChannel",
    class {
      addEventListener(_: string, listener: (e: { data: unknown }) => void) {
        tabs.listener = listener;
      }
      postMessage(data: unknown) {
        tabs.said.push(data);
      }
    },
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("the same person signs in again and goes on in the page", async () => {
  const session = await signedIn();
  tabs.listener?.({ data: "out" });
  expect(session.snapshot()).toEqual({ kind: "ended", why: "elsewhere" });
  answers(grant(1));
  await session.login("ann", "secret");
  expect(session.snapshot().kind).toBe("in");
  expect(assign).not.toHaveBeenCalled();
  expect(tabs.said).toEqual([{ in: 1 }, { in: 1 }]);
});

test("a request asks for the page's language", async () => {
  vi.stubGlobal("document", { documentElement: { lang: "de" } });
  const session = await page();
  answers(Response.json({}));
  await session.fetch(new Request("/api/notices"));
  const sent = fetched.mock.lastCall?.[0] as Request;
  expect(sent.headers.get("Accept-Language")).toBe("de");
});

test("another person never gets the page: neither by a sign-in nor by the cookie nor from another tab", async () => {
  for (const how of ["login", "exchange", "restore", "tab"] as const) {
    const session = await signedIn();
    const seen: string[] = [];
    session.subscribe(() => seen.push(session.snapshot().kind));
    if (how !== "tab") answers(grant(2));
    if (how === "login") await session.login("bob", "secret");
    if (how === "exchange") await session.exchange("code");
    if (how === "restore") expect(await session.restore()).toBe(false);
    if (how === "tab") tabs.listener?.({ data: { in: 2 } });
    expect(seen, how).toEqual(["ended"]);
    expect(session.snapshot()).toEqual({ kind: "ended", why: "other" });
    expect(assign, how).toHaveBeenCalledExactlyOnceWith("/");
    assign.mockClear();

    answers(refusal(401, "token_missing"));
    await session.fetch(new Request("/api/hwkey"));
    const sent = fetched.mock.lastCall?.[0] as Request;
    expect(sent.headers.get("Authorization"), "a request of the former person").toBeNull();
  }
});

test("a tab that is signed in already leaves the cookie alone when the same person signs in elsewhere", async () => {
  const session = await signedIn();
  tabs.listener?.({ data: { in: 1 } });
  expect(fetched).toHaveBeenCalledOnce();
  expect(session.snapshot().kind).toBe("in");
});

test("a sign-out that the server did not carry out is none", async () => {
  const unclear = [
    [refusal(429, "rate_limited")],
    [refusal(503, "unavailable")],
    [refusal(500, "internal")],
    [new Error("cut off")],
    // Its token cannot be renewed for the moment.
    [refusal(401, "token_expired"), refusal(503, "unavailable")],
  ];
  for (const answer of unclear) {
    const session = await signedIn();
    answers(...answer);
    await expect(session.logout()).rejects.toThrow();
    expect(session.snapshot().kind).toBe("in");
    expect(tabs.said).not.toContain("out");
  }
});

test("a sign-out ends the session, also one that was over already", async () => {
  for (const last of [
    [Response.json({ status: "ok" })],
    [refusal(401, "session_not_found"), refusal(401, "token_invalid")],
  ]) {
    const session = await signedIn();
    answers(...last);
    expect(await session.logout()).toBeUndefined();
    expect(session.snapshot()).toEqual({ kind: "out" });
    expect(tabs.said).toContain("out");
  }
});

test("a renewal whose answer is cut off costs nobody their session", async () => {
  const session = await signedIn();
  answers(new Response("{", { status: 200 }), grant(1));
  expect(await session.restore()).toBe(false);
  expect(session.snapshot().kind).toBe("in");
  expect(await session.restore()).toBe(true);
});

test("a page at which nobody is signed in asks for no session, and one whose session is over asks once", async () => {
  html.cookie = "a=b; another_keyward_session=1";
  const nobody = await page();
  expect(await nobody.restore()).toBe(false);
  expect(nobody.snapshot()).toEqual({ kind: "out" });
  expect(fetched).not.toHaveBeenCalled();
  for (const name of ["keyward_session", "__Host-keyward_session"]) {
    html.cookie = `${name}=1; a=b`;
    fetched.mockReset();
    answers(refusal(401, "token_invalid"));
    const over = await page();
    expect(over.absent()).toBe(false);
    expect(await over.restore()).toBe(false);
    expect(over.snapshot()).toEqual({ kind: "out" });
    expect(html.cookie, "the hint is still there").toContain("Max-Age=0");
  }
});

test("a refusal that comes late takes nothing of what another tab has signed in to, and the page goes on with it", async () => {
  const late = () => {
    html.cookie = "a=b; keyward_session=8";
    return Promise.resolve(refusal(401, "token_invalid"));
  };
  for (const before of ["unknown", "in"]) {
    html.cookie = "a=b; keyward_session=7";
    const session = await page();
    if (before === "in") {
      answers(grant(1));
      await session.login("ann", "secret");
    }
    fetched.mockReset();
    fetched.mockImplementationOnce(late);
    answers(grant(1));
    expect(await session.restore(), before).toBe(true);
    expect(session.snapshot().kind).toBe("in");
    expect(fetched).toHaveBeenCalledTimes(2);
    expect(html.cookie).toBe("a=b; keyward_session=8");
  }
});

test("a proof is told to the other tabs without what proved it, and heard only of the same person", async () => {
  const session = await page();
  const heard = vi.fn();
  session.onProof(heard);
  tabs.listener?.({ data: { in: 1 } }); // nobody is signed in here: the cookie is asked
  expect(heard).not.toHaveBeenCalled();
  fetched.mockReset();
  answers(grant(1));
  await session.login("ann", "secret");
  answers(Response.json({ status: "ok" }));
  tabs.said = [];
  await session.reauthenticate({ password: "secret" });
  expect(tabs.said).toEqual([{ in: 1 }]);
  answers(refusal(401, "invalid_credentials"));
  await expect(session.reauthenticate({ password: "wrong" })).rejects.toThrow("invalid_credentials");
  expect(tabs.said).toHaveLength(1);
  tabs.listener?.({ data: { in: 1 } });
  expect(heard).toHaveBeenCalledOnce();
  tabs.listener?.({ data: { in: 2 } });
  expect(heard).toHaveBeenCalledOnce();
  expect(session.snapshot()).toEqual({ kind: "ended", why: "other" });
});

/** locks stands for the browser's, which all its pages share. */
function locks(request: (name: string, task: () => Promise<unknown>) => Promise<unknown>) {
  const take = (name: string, a: unknown, b?: unknown) => request(name, (b ?? a) as () => Promise<unknown>);
  vi.stubGlobal("navigator", { locks: { request: take } });
}

const paths = () => fetched.mock.calls.map(([input]) => new URL(input instanceof Request ? input.url : input).pathname);

test("a sign-in waits for the answer to a sign-out in another tab, which deletes its cookies", async () => {
  const tails = new Map<string, Promise<unknown>>();
  locks((name, task) => {
    const next = (tails.get(name) ?? Promise.resolve()).then(task);
    tails.set(
      name,
      next.catch(() => {}),
    );
    return next;
  });
  const [one, other] = [await page(), await page()];
  answers(grant(1));
  await one.login("ann", "secret");
  let answer = (_: Response) => {};
  fetched.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  answers(grant(1));
  const out = one.logout();
  const into = other.login("ann", "secret");
  await vi.advanceTimersByTimeAsync(1000);
  expect(paths()).toEqual(["/api/auth/login", "/api/auth/logout"]);
  answer(Response.json({ status: "ok" }));
  await Promise.all([out, into]);
  expect(paths().at(-1)).toBe("/api/auth/login");
  expect([one.snapshot().kind, other.snapshot().kind]).toEqual(["out", "in"]);
});

test("a sign-in does not wait for ever, and one that is refused is sent once", async () => {
  locks(() => Promise.reject(new DOMException("waited too long", "TimeoutError")));
  const session = await signedIn();
  expect(session.snapshot().kind).toBe("in");
  locks((_, task) => task());
  answers(refusal(401, "invalid_credentials"));
  await expect(session.login("ann", "wrong")).rejects.toMatchObject({ code: "invalid_credentials" });
  expect(fetched).toHaveBeenCalledTimes(2);
});

/** own are what proxies answer in place of Keyward while that is away. */
const own = (): [string, Response][] => {
  const page = (status: number, body: string, type: string) =>
    new Response(body, { status, headers: { "Content-Type": type } });
  return [
    ["HAProxy", page(503, "<html><body><h1>503 Service Unavailable</h1></body></html>", "text/html")],
    ["nginx", page(502, "<html><center><h1>502 Bad Gateway</h1></center></html>", "text/html")],
    ["nginx, too slow", page(504, "<html><h1>504 Gateway Time-out</h1></html>", "text/html")],
    ["Apache", page(503, "<html><title>503 Service Unavailable</title></html>", "text/html; charset=iso-8859-1")],
    ["Apache, died", page(500, "<html><title>500 Internal Server Error</title></html>", "text/html")],
    [
      "Apache, ours",
      Response.json({ code: "backend_unavailable", detail: "It is not responding. Try again." }, { status: 502 }),
    ],
    ["Caddy", new Response(null, { status: 502, headers: { "Content-Length": "0" } })],
    ["Traefik", page(502, "Bad Gateway", "text/plain; charset=utf-8")],
    ["Traefik, no server", page(503, "no available server\n", "text/plain; charset=utf-8")],
    ["a cloud's", Response.json({ message: "Service Unavailable" }, { status: 503 })],
  ];
};

test("a proxy's own page is Keyward that is away for now, and signs nobody out", async () => {
  const session = await signedIn();
  const { api, ask } = await import("../api/client");
  const { problemOf } = await import("../api/problem");
  const away = { code: "backend_unavailable", status: 503, retryAfter: 2 };
  for (const [name, response] of own()) {
    answers(response.clone());
    const asked: unknown = await ask(api.GET("/api/notices")).catch((error: unknown) => error);
    expect(asked, name).toMatchObject(away);
    expect(await problemOf(response.clone()), name).toMatchObject(away);
    expect(String(asked), name).toContain("not responding. Try again");
    answers(response.clone());
    await expect(session.login("ann", "secret"), name).rejects.toMatchObject(away);
    answers(refusal(401, "token_expired"), response);
    await session.fetch(new Request("/api/notices"));
    expect(session.snapshot().kind, name).toBe("in");
  }
});

test("a page of a network in the server's place is none of its answers, and signs nobody out", async () => {
  const session = await signedIn();
  const { api, ask } = await import("../api/client");
  for (const status of [200, 401, 403, 404]) {
    const portal = () => new Response("<html>", { status, headers: { "Content-Type": "text/html; charset=utf-8" } });
    for (const task of [
      () => ask(api.GET("/api/notices")),
      () => session.login("ann", "secret"),
      () => session.logout(),
    ]) {
      answers(portal());
      const failed = await task().catch((error: unknown) => error);
      expect(failed, `${status}`).toMatchObject({ name: "Unreachable", peer: "proxy" });
    }
    answers(portal());
    expect(await session.restore()).toBe(false);
    expect(session.snapshot().kind, `${status}`).toBe("in");
  }
  answers(new Response("Forbidden", { status: 403 }));
  expect(await session.restore()).toBe(false);
  expect(session.snapshot().kind, "a proxy's refusal in plain text").toBe("in");

  const fresh = await page();
  answers(new Response("<html>", { headers: { "Content-Type": "text/html" } }));
  await expect(fresh.restore()).rejects.toMatchObject({ name: "Unreachable", peer: "proxy" });
});

test("a proxy that takes no body of this size says so", async () => {
  const session = await page();
  answers(new Response("<html>", { status: 413, headers: { "Content-Type": "text/html" } }));
  await expect(session.login("ann", "secret")).rejects.toMatchObject({ code: "body_too_large", status: 413 });
});
