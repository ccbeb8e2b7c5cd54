import { createServer } from "node:net";

/** MailServer takes every message by SMTP (RFC 5321), without encryption, and shows it to tests. */
export class MailServer {
  /** What has come: {to: [address], text}, text as it was before quoted-printable. */
  messages = [];
  #server = createServer((socket) => this.#talk(socket));

  static async start() {
    const server = new MailServer();
    await new Promise((resolve, reject) => {
      server.#server.once("error", reject).listen(0, "127.0.0.1", resolve);
    });
    server.#server.unref();
    return server;
  }

  get port() {
    return this.#server.address().port;
  }

  stop() {
    this.#server.close();
  }

  #talk(socket) {
    let rest = "";
    let to = [];
    let data = null;
    const say = (line) => socket.write(`${line}\r\n`);
    const take = (line) => {
      if (data !== null) {
        if (line !== ".") return data.push(line.replace(/^\./, ""));
        this.messages.push({ to, text: plain(data.join("\r\n")) });
        [to, data] = [[], null];
        return say("250 2.0.0 taken");
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === "EHLO") return say("250-localhost\r\n250 8BITMIME");
      if (verb === "RCPT") to.push(line.match(/<(.*?)>/)[1]);
      if (verb === "RSET") to = [];
      if (verb === "DATA") data = [];
      if (verb === "QUIT") return socket.end("221 2.0.0 bye\r\n");
      return say(verb === "DATA" ? "354 go on" : "250 2.1.0 ok");
    };
    socket.on("error", () => {}); // whoever is gone has been told
    socket.on("data", (chunk) => {
      const lines = (rest + chunk.toString("latin1")).split("\r\n");
      rest = lines.pop();
      for (const line of lines) take(line);
    });
    say("220 localhost ESMTP");
  }
}

/** plain undoes quoted-printable (RFC 2045, 6.7). */
function plain(text) {
  return text
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
