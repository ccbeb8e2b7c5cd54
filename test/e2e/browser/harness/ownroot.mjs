import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The extensions of a CA's certificate, and of a person's. */
export const asCA = ["basicConstraints=critical,CA:TRUE,pathlen:0", "keyUsage=critical,keyCertSign,cRLSign"];
export const asPerson = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature"];

/** OwnRoot is a root that somebody has already, made and used by openssl. */
export class OwnRoot {
  #folder = mkdtempSync(join(tmpdir(), "keyward-root-"));

  constructor() {
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "root.key"];
    const usage = ["-addext", "keyUsage=critical,keyCertSign,cRLSign"];
    this.#openssl("req", "-x509", ...key, ...usage, "-out", "root.pem", "-days", "7300", "-subj", "/CN=Example Root");
  }

  #openssl(...args) {
    execFileSync("openssl", args, { cwd: this.#folder, stdio: "pipe" });
  }

  /** file is the path of one of its files; its certificate is root.pem. */
  file(name) {
    return join(this.#folder, name);
  }

  #write(name, ...lines) {
    writeFileSync(this.file(name), `${lines.join("\n")}\n`);
  }

  /** sign signs a request, as PEM or DER, and gives the file's path. */
  sign(csr, extensions, out, form = "PEM") {
    this.#write("request.csr", csr);
    this.#write("extensions", ...extensions, "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid");
    const by = ["-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", "3650"];
    this.#openssl("x509", "-req", "-in", "request.csr", ...by, "-extfile", "extensions", "-outform", form, "-out", out);
    return this.file(out);
  }

  /** list signs a revocation list that is good for so many seconds. */
  list(out, seconds) {
    writeFileSync(this.file("index"), ""); // nothing is revoked
    this.#write("number", "01");
    this.#write("ca.cnf", "[ca]", "default_ca=own", "[own]", "database=index", "crlnumber=number", "default_md=sha256");
    const by = ["-config", "ca.cnf", "-cert", "root.pem", "-keyfile", "root.key"];
    this.#openssl("ca", "-gencrl", ...by, "-crlsec", String(seconds), "-out", out);
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
