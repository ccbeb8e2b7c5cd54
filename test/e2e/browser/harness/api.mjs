/** Refusal is an answer that is none of the 2xx. */
export class Refusal extends Error {
  constructor(method, path, status, problem) {
    super(`${method} ${path}: ${status} ${JSON.stringify(problem)}`);
    this.status = status;
    this.problem = problem;
  }
}

/** Api calls the server as one person, without a browser: to seed, and to look at what a page has done. */
export class Api {
  #token = "";

  constructor(base) {
    this.base = base;
  }

  /** signIn makes a new session for a person. */
  async signIn(username, password) {
    const grant = await this.post("/api/auth/login", { username, password });
    this.#token = grant.access_token;
    this.session = grant.session_id;
    return this;
  }

  async call(method, path, body, type = "application/json", tries = 10) {
    const headers = {};
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    if (body !== undefined) headers["Content-Type"] = type;
    const sent = body === undefined || type !== "application/json" ? body : JSON.stringify(body);
    const response = await fetch(this.base + path, { method, headers, body: sent });
    const text = await response.text();
    const json = /json/.test(response.headers.get("Content-Type") ?? "");
    const value = text && json ? JSON.parse(text) : text;
    if (value.code === "rate_limited" && tries > 1) {
      // eventually() asks often, beside the person's own pages.
      await new Promise((resolve) => setTimeout(resolve, 1000 * (Number(response.headers.get("Retry-After")) || 1)));
      return this.call(method, path, body, type, tries - 1);
    }
    if (!response.ok) throw new Refusal(method, path, response.status, value);
    return value;
  }

  get(path) {
    return this.call("GET", path);
  }
  post(path, body, type) {
    return this.call("POST", path, body, type);
  }
  patch(path, body) {
    return this.call("PATCH", path, body);
  }
  put(path, body) {
    return this.call("PUT", path, body);
  }
  delete(path) {
    return this.call("DELETE", path);
  }

  /** actions gives the audit log's actions that begin with a prefix, newest first. */
  async actions(prefix) {
    return (await this.get(`/api/admin/audit?action=${prefix}&limit=500`)).items;
  }
}
