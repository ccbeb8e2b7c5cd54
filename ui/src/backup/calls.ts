import { api, ask } from "../api/client";
import type { Body } from "./draft";
import type { Job, Kind, Type } from "./types";

// The operations of backups, each as a function.

export const getSettings = () => ask(api.GET("/api/backup/settings"));
export const putSettings = (body: Body) => ask(api.PUT("/api/backup/settings", { body }));
export const testConnection = () => ask(api.GET("/api/backup/test-connection"));

export const list = (limit: number) => ask(api.GET("/api/backup/list", { params: { query: { limit } } }));
export const trigger = (type: Type) => ask(api.POST("/api/backup/trigger", { body: { type } }));
export const link = (key: string) => ask(api.GET("/api/backup/download/{key}", { params: { path: { key } } }));
export const remove = (key: string) => ask(api.DELETE("/api/backup/{key}", { params: { path: { key } } }));

type Filter = { kind?: Kind; status?: Job["status"]; cursor?: string | undefined; limit: number };

export const jobs = (query: Filter) => ask(api.GET("/api/backup/jobs", { params: { query } }));
export const running = () => ask(api.GET("/api/backup/jobs/running"));
export const one = (id: number) => ask(api.GET("/api/backup/jobs/{id}", { params: { path: { id } } }));
export const cancel = (id: number) => ask(api.POST("/api/backup/jobs/{id}/cancel", { params: { path: { id } } }));

export const drill = (key?: string) => ask(api.POST("/api/backup/drill", { body: key ? { key } : {} }));
export const validate = (key: string, password: string) =>
  ask(api.POST("/api/backup/restore/validate-password", { body: { key, password } }));
export const restore = (body: { key: string; password: string; replace_ca: boolean }) =>
  ask(api.POST("/api/backup/restore", { body }));
export const restoreStatus = () => ask(api.GET("/api/backup/restore/status"));
export const retry = (id: number, password: string) =>
  ask(api.POST("/api/backup/jobs/{id}/retry", { params: { path: { id } }, body: { password } }));
