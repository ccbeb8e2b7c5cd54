/** What is wrong with one input; the message is in English, after the name of the field. */
export type ProblemField = { field: string; code: string; params?: Params; message: string };

/** What a translation needs: reason names the sentence (api/errors.json), the others fill its places. */
type Params = Record<string, unknown>;

const away = {
  code: "backend_unavailable",
  detail: "The service behind this page is not responding. Try again in a moment.",
};

/** What a proxy means by a status of its own, in Keyward's words; the document is not Keyward's then. */
const proxied: Record<number, { code: string; detail: string }> = {
  413: { code: "body_too_large", detail: "The request body is too large for this operation." },
  500: away, // Apache's, if a server dies
  502: away,
  503: away,
  504: away,
};

/** A problem document (RFC 9457) as an error; see contract, "Errors". */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly params: Params;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly fields: ProblemField[];
  /** Seconds, from Retry-After. */
  readonly retryAfter: number | null;
  /** The whole document: an agent's holds more, such as retries_left. */
  readonly document: Record<string, unknown>;

  constructor(status: number, document: Record<string, unknown>, retryAfter: string | null = null) {
    const said = text(document.code) ? undefined : proxied[status];
    const detail = said?.detail || text(document.detail) || text(document.title) || "The server had a problem.";
    super(detail);
    this.name = "Problem";
    this.code = said?.code || text(document.code) || "unknown";
    this.status = this.code === away.code ? 503 : status; // Apache can't say so with this status
    this.params = (document.params ?? {}) as Params;
    this.title = text(document.title);
    this.detail = detail;
    this.requestId = text(document.request_id);
    this.fields = Array.isArray(document.errors) ? (document.errors as ProblemField[]) : [];
    this.retryAfter =
      retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : this.code === away.code ? 2 : null;
    this.document = document;
  }

  /** of gives what is wrong with one field of a form, or with something in it. */
  of(name: string): ProblemField[] {
    return this.fields.filter((f) => within(name, f.field));
  }
}

/** within tells whether one field is another or a part of it: actions[0] of actions, license.serial of license. */
export function within(name: string, field: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

/** Unreachable: no answer came, or a proxy's in place of the server's. What was asked may have happened. */
export class Unreachable extends Error {
  readonly peer: "server" | "agent" | "proxy";

  constructor(peer: "server" | "agent" | "proxy", cause?: unknown) {
    super(`no answer from the ${peer}`, { cause });
    this.name = "Unreachable";
    this.peer = peer;
  }
}

export function isProblem(error: unknown, ...codes: string[]): error is Problem {
  return error instanceof Problem && (codes.length === 0 || codes.includes(error.code));
}

/** reach asks the server. Unreachable is also the answer of something in between: the server has no page for a program. */
export async function reach(request: Request | string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request, init);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new Unreachable("server", cause);
  }
  const page = /^text\/html\b/i.test(response.headers.get("Content-Type") ?? "");
  if (page && !proxied[response.status]) throw new Unreachable("proxy");
  return response;
}

/** problemOf reads an answer that is no success. */
export async function problemOf(response: Response): Promise<Problem> {
  let document: Record<string, unknown> = {};
  try {
    document = (await response.json()) as Record<string, unknown>;
  } catch {
    // A proxy's own page: the status has to do.
  }
  if (!document.request_id) document.request_id = response.headers.get("X-Request-Id") ?? "";
  return new Problem(response.status, document, response.headers.get("Retry-After"));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
