import type { Options, Result } from "./types";

export type { Sealed } from "./ports";
export { steps } from "./stages";
export * from "./types";

const soon = () => Promise.reject(new Error("being written"));

/** enroll takes a card to the vault's values and gives the slot a key and a certificate. */
export const enroll: (options: Options) => Promise<Result> = soon;

/** changePIN gives the card a new PIN: the chosen one (6 to 8 digits), else a random one. */
export const changePIN: (options: Options, chosen?: string) => Promise<Result> = soon;

/** unblock sets a new PIN with the PUK, whatever became of the present one. */
export const unblock: (options: Options, chosen?: string) => Promise<Result> = soon;

/** renew gives the slot a new certificate, for a new key or for the present one. */
export const renew: (options: Options, keepKey?: boolean) => Promise<Result> = soon;

/** reset revokes the token's certificates and destroys the card's keys. Repeatable. */
export const reset: (options: Options) => Promise<Result> = soon;

/**
 * recoverWithPIN is a way out of `unknown`: the person types the PIN that the
 * card has now. The card then gets the chosen PIN (which may be the same), else a random one.
 */
export const recoverWithPIN: (options: Options, typed: string, chosen?: string) => Promise<Result> = soon;

/**
 * setRetries is the way out of a blocked or unknown PUK: it sets the retry
 * counters anew with the management key and the PIN (typed, where the vault
 * does not have it). PIN and PUK are then the factory's: enroll comes next.
 */
export const setRetries: (options: Options, typed?: string) => Promise<Result> = soon;
