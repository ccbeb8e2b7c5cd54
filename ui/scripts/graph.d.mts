export const root: string;
export const main: string;
export const frame: string;
export const outside: string[];
export function reach(file: string | null, seen?: Set<string>): Set<string>;
export function loadedLater(start: string, found?: Set<string>): Set<string>;
