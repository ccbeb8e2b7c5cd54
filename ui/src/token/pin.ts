type PinFault = "digits" | "easy" | "";

/** pinFault says what is wrong with a PIN that somebody chose; the server and the card have the last word. */
export function pinFault(pin: string): PinFault {
  if (!/^\d{6,8}$/.test(pin)) return "digits";
  const steps = new Set<number>();
  for (let i = 1; i < pin.length; i++) steps.add(Number(pin[i]) - Number(pin[i - 1]));
  const [step] = steps;
  return steps.size === 1 && step !== undefined && Math.abs(step) <= 1 ? "easy" : "";
}
