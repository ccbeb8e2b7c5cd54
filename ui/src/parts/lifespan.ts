/** What a certificate is today. `soon`: it runs out soon, and should be renewed. */
type Standing = "valid" | "soon" | "expired" | "revoked" | "future";

type Lifespan = {
  standing: Standing;
  /** How much of its life remains, 0 to 1. */
  left: number;
  /** Whole days until it ends; negative after. */
  days: number;
};

const day = 86_400_000;

/** soonWithin is from when on a certificate should be renewed: 30 days, or the last third of a short life. */
function soonWithin(notBefore: string, notAfter: string): number {
  return Math.min(30 * day, (Date.parse(notAfter) - Date.parse(notBefore)) / 3);
}

/** lifespan tells where in its life a certificate is. */
export function lifespan(notBefore: string, notAfter: string, status = "issued", now = Date.now()): Lifespan {
  const from = Date.parse(notBefore);
  const to = Date.parse(notAfter);
  const left = to > from ? Math.min(1, Math.max(0, (to - now) / (to - from))) : 0;
  const days = Math.floor((to - now) / day);
  let standing: Standing = "valid";
  if (status === "revoked") standing = "revoked";
  else if (status === "expired" || now >= to) standing = "expired";
  else if (now < from) standing = "future";
  else if (to - now <= soonWithin(notBefore, notAfter)) standing = "soon";
  return { standing, left, days };
}
