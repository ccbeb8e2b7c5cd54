export const certificates = {
  state: { expiring: "Expires soon", unconfirmed: "Not confirmed" },
};
