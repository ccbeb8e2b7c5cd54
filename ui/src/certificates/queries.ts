import { api, ask, type Schema } from "../api/client";

export type Certificate = Schema<"Certificate">;
export type OneCertificate = Schema<"OneCertificate">;

/** certificateQuery asks for one certificate with its PEM. */
export function certificateQuery(serial: string) {
  return {
    queryKey: ["certificates", "one", serial] as const,
    queryFn: async () => {
      const got = await ask(
        api.GET("/api/certificates/{serial_number}", { params: { path: { serial_number: serial } } }),
      );
      return got as OneCertificate; // with a format, it would be a file
    },
  };
}

/** chainQuery asks for the CAs with live certificates, the active one first, each with its chain: PEM, root last. */
export const chainQuery = {
  queryKey: ["pki", "chain"] as const,
  queryFn: () => ask(api.GET("/api/pki/ca_chain", { parseAs: "text" })),
  staleTime: 300_000,
};

/** tokenQuery asks for the token that a certificate was made for. */
export function tokenQuery(serial: string) {
  return {
    queryKey: ["hwkey", serial] as const,
    queryFn: () => ask(api.GET("/api/hwkey/{serial}", { params: { path: { serial } } })),
  };
}
