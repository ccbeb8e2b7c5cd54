import type { Schema } from "../api/client";

/** One backup, restore or drill. */
export type Job = Schema<"BackupJob">;
export type Kind = Job["kind"];
/** What a backup holds. */
export type Type = Job["type"];
/** A backup in the store. */
export type Item = Schema<"BackupObject">;
/** The settings as the server shows them: no secret is among them. */
export type Stored = Schema<"BackupSettings">;
/** What a file says of itself. */
export type Header = Schema<"BackupHeader">;
