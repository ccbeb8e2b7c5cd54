import type { Schema } from "../../api/client";

/** standing tells a delivery that failed and is tried again from one that was not tried yet. */
export function standing({
  status,
  attempts,
}: Pick<Schema<"WebhookDelivery">, "status" | "attempts">): "pending" | "retrying" | "delivered" | "failed" {
  return status === "pending" && attempts > 0 ? "retrying" : status;
}
