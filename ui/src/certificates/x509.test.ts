import { expect, test } from "vitest";
import { derOf } from "../pem";
import { parse, splitPem, usages } from "./x509";

// Made by OpenSSL: a self-signed P-256 certificate that outlives UTCTime.
const pem = `-----BEGIN CERTIFICATE-----
MIIBuzCCAWCgAwIBAgIDAPGiMAoGCCqGSM49BAMCMDoxCzAJBgNVBAYTAkRFMRkw
FwYDVQQKDBBNw7xsbGVyICYgU8O2aG5lMRAwDgYDVQQDDAdSb290IENBMCAXDTI2
MTEyMTE0NTY1NFoYDzIxMjYxMDI4MTQ1NjU0WjA6MQswCQYDVQQGEwJERTEZMBcG
A1UECgwQTcO8bGxlciAmIFPDtmhuZTEQMA4GA1UEAwwHUm9vdCBDQTBZMBMGByqG
SM49AgEGCCqGSM49AwEHA0IABHRwTBbbySq+T9lvOlhK5nWvPemgoZjHu5MLUeIX
yfbWeiQIixa2epYbN6rJtQn5DYVaZlrWtZRpn5Y7mQfz9i6jUzBRMB0GA1UdDgQW
BBThH5yV9mF1+0nHIt8hjXTv88hV5zAfBgNVHSMEGDAWgBThH5yV9mF1+0nHIt8h
jXTv88hV5zAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDVXYMH
heSQ2XrPTgaFC1SwSlX/DtkmuTHefvhby6IEvgIhAIKzPMNLSyMnQOa+1IjBpUEh
LHT2whVyy773iwEIOBX2
-----END CERTIFICATE-----
`;

test("a certificate's names and dates are read", () => {
  expect(parse(derOf(pem))).toEqual({
    name: "Root CA",
    subject: "C=DE, O=Müller & Söhne, CN=Root CA",
    issuer: "C=DE, O=Müller & Söhne, CN=Root CA",
    notBefore: "2026-11-21T14:56:54Z",
    notAfter: "2126-10-28T14:56:54Z",
    serialNumber: "f1a2",
  });
});

test("a chain comes apart into its certificates", () => {
  expect(splitPem(`${pem}\n${pem}`)).toEqual([pem, pem]);
  expect(splitPem("")).toEqual([]);
});

test("what is cut short or no certificate is refused, not misread", () => {
  const der = derOf(pem);
  expect(() => parse(der.subarray(0, 300))).toThrow();
  expect(() => parse(new Uint8Array([0x30, 0x00]))).toThrow();
  expect(() => parse(new Uint8Array())).toThrow();
});

// Made by OpenSSL, with usages.
const used = `-----BEGIN CERTIFICATE-----
MIIBxTCCAWugAwIBAgIUK7V3bCtzPJx/Ame4cRpTijRtxdgwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEamRvZTAeFw0yNjExMjgxMTMxMDRaFw0yNjEyMjgxMTMxMDRa
MA8xDTALBgNVBAMMBGpkb2UwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQeZFHq
GVkkcs1a/ffOQfIQjng21dzZHcVWM1c3y+B6vXOStjD0XbjNA3cy1honb41meb4H
LHuhLl3yxhReRT7Lo4GkMIGhMB0GA1UdDgQWBBQl/f/W1xf04S9VmPI2kgieC0sp
rjAfBgNVHSMEGDAWgBQl/f/W1xf04S9VmPI2kgieC0sprjAPBgNVHRMBAf8EBTAD
AQH/MA8GA1UdDwEB/wQFAwMHiIAwPQYDVR0lBDYwNAYIKwYBBQUHAwIGCisGAQQB
gjcUAgIGBysGAQUCAwQGCGCGSAFlAwYIBgkrBgEEAYLECmMwCgYIKoZIzj0EAwID
SAAwRQIgeDmeY00ca+51JifPGPhQ/Mqlp1Ad/qZCxNAlIIMD1EkCIQCXiHZ5nPge
YcEejMieKvpn9RpssZF7Jwocp27Y/K3eYA==
-----END CERTIFICATE-----
`;

test("what a certificate's key may be used for is read", () => {
  expect(usages(derOf(used))).toEqual({
    keyUsage: ["digitalSignature", "keyAgreement", "decipherOnly"],
    purposes: ["clientAuth", "smartcardLogon", "pkinitClient", "cardAuthentication", "1.3.6.1.4.1.41482.99"],
  });
  expect(usages(derOf(pem))).toEqual({ keyUsage: [], purposes: [] });
});
