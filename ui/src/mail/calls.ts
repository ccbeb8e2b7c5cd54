import { api, ask, type Schema } from "../api/client";

export type Stored = Schema<"MailSettings">;
export type Body = Schema<"PutMailSettings">;
export type Message = Schema<"MailMessage">;
export type Own = Schema<"Notifications">;
export type OwnBody = Schema<"PutNotifications">;

// The operations of mail, each as a function.

export const getSettings = () => ask(api.GET("/api/admin/settings/mail"));
export const putSettings = (body: Body) => ask(api.PUT("/api/admin/settings/mail", { body }));
export const test = (to: string) => ask(api.POST("/api/admin/settings/mail/test", { body: { to } }));

type Filter = {
  q?: string | undefined;
  status?: Message["status"] | undefined;
  cursor: string | undefined;
  limit: number;
};

export const list = (query: Filter) => ask(api.GET("/api/admin/mail", { params: { query } }));
export const retry = (id: number) => ask(api.POST("/api/admin/mail/{id}/retry", { params: { path: { id } } }));

export const getOwn = () => ask(api.GET("/api/auth/notifications"));
export const putOwn = (body: OwnBody) => ask(api.PUT("/api/auth/notifications", { body }));
