import type { QueryKey } from "@tanstack/react-query";

const flows = new Set<{ serial: string }>();

/** begin says that a flow is at a card, which nothing else in this page reads until the end that it returns. */
export function begin(serial: string): () => void {
  const flow = { serial };
  flows.add(flow);
  return () => flows.delete(flow);
}

/** underway tells whether a query reads a card that a flow is at. The flow has it read again when it is over. */
export function underway([kind, serial]: QueryKey): boolean {
  return kind === "card" && [...flows].some((f) => f.serial === serial);
}
