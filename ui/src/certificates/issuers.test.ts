import { expect, test } from "vitest";
import { issuersOf } from "./issuers";

// Made by OpenSSL: a root, a CA of it, and a certificate of that.
const root = `-----BEGIN CERTIFICATE-----
MIIBdDCCARmgAwIBAgIUHi0GCQZeNwc9Mjti+6lFUs77bCIwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEUm9vdDAeFw0yNjExMjExODMxNDBaFw0zNjExMTgxODMxNDBa
MA8xDTALBgNVBAMMBFJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARrHxTS
y0qne0KVzkezZrP9RJFatv9kjP9H1khcL5lRVG1yM8bKovMb1jVc7zCSvnjnMdUe
3wGZMopGwY4eTD0To1MwUTAdBgNVHQ4EFgQUQSnxj14/R80evUz3ztkgrmiiQqAw
HwYDVR0jBBgwFoAUQSnxj14/R80evUz3ztkgrmiiQqAwDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNJADBGAiEAn//vlLBUkQF1kgh1Ta9pe3DU9HQhZgW+w9S0
rppFumkCIQDpxu0swZyK9C2NjV6GAdyZzE+b1j6J78jsh9BehuYsIw==
-----END CERTIFICATE-----
`;
const issuing = `-----BEGIN CERTIFICATE-----
MIIBGzCBwgIUcLtWHGLc3YtymsDYkWVw4bZ3HUkwCgYIKoZIzj0EAwIwDzENMAsG
A1UEAwwEUm9vdDAeFw0yNjExMjExODMxNDFaFw0zNjExMTgxODMxNDFaMBIxEDAO
BgNVBAMMB0lzc3VpbmcwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQOnadiIIxR
RCmcXK0hHScjfemJIT+hARLzjlgYqAHvWpbneKUnhN+aOIONsdg7SfH5EK/j+x5T
pGOtVNJVpH5FMAoGCCqGSM49BAMCA0gAMEUCIQC188Q8n0DcrM8rVgTrfMYrOUdd
FPAl/MaH1JCe/b1mBgIgV2CsfQFSa8Zgi2rJ/5w5ZZREIe7/eI3INtKs4lYHDDM=
-----END CERTIFICATE-----
`;
const leaf = `-----BEGIN CERTIFICATE-----
MIIBHTCBwwIUUAAsQwKtjx+brtztGI45srrr3a8wCgYIKoZIzj0EAwIwEjEQMA4G
A1UEAwwHSXNzdWluZzAeFw0yNjExMjExODMxNDFaFw0yNzExMjExODMxNDFaMBAx
DjAMBgNVBAMMBWNhcm9sMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEpTeuw3wG
bHBVu8ifDk4jCKPGaneMHqO3PoUESJSFrAjaMdTyGCe60Se8E0Yu0a+xVORvQQ/r
Hip4HhANV9ggQzAKBggqhkjOPQQDAgNJADBGAiEAyxMtVSNVZ9KO1eLoOa/YJujQ
n/pYdf1Mh8cC+8YRhqsCIQC6bydviCoUOUCENsEpGFiWNhGlJalJFbdl22stT0mq
Eg==
-----END CERTIFICATE-----
`;

test("the chain of a certificate is its issuers, root last", () => {
  const chain = issuersOf(leaf, issuing + root);
  expect(chain).toMatchObject([
    { name: "Issuing", pem: issuing },
    { name: "Root", pem: root },
  ]);
});

test("the chain of a certificate leaves out the CAs that did not issue it", () => {
  expect(issuersOf(leaf, leaf + issuing + root)).toMatchObject([{ name: "Issuing" }, { name: "Root" }]);
  expect(issuersOf(issuing, issuing + leaf + root)).toMatchObject([{ name: "Root" }]);
});

test("the chain of another CA is told from its own", () => {
  expect(issuersOf(leaf, root)).toBe("other");
});

test("a chain that cannot be read is said to be so", () => {
  const broken = root.replace("MII", "!!!");
  const short = root.replace(/MII[^-]{60}/, "");
  for (const chain of ["", "<html>502</html>", broken, short, issuing + broken]) {
    expect(issuersOf(leaf, chain)).toBe("unreadable");
  }
  expect(issuersOf("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", issuing)).toBe("unreadable");
});
