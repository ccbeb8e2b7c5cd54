import type { Schema } from "../api/client";

/** fills are the colours of the statuses of tokens in what is drawn: bars and the signs beside their names. */
export const fills: Record<Schema<"HWKey">["status"], string> = {
  in_stock: "light-dark(var(--mantine-color-gray-5), var(--mantine-color-dark-2))",
  assigned: "light-dark(var(--mantine-color-blue-6), var(--mantine-color-blue-5))",
  active: "var(--mantine-primary-color-filled)",
  suspended: "light-dark(var(--mantine-color-orange-7), var(--mantine-color-orange-5))",
  lost: "light-dark(var(--mantine-color-red-7), var(--mantine-color-red-5))",
  retired: "light-dark(var(--mantine-color-gray-7), var(--mantine-color-dark-3))",
};
