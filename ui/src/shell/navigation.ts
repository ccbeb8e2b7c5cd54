import {
  IconActivityHeartbeat,
  IconBuilding,
  IconCertificate,
  IconChecklist,
  IconClipboardCheck,
  IconDatabaseExport,
  IconFileSearch,
  IconId,
  IconKey,
  IconLayoutDashboard,
  IconLicense,
  IconMail,
  IconPackage,
  IconSettings,
  IconShieldCheck,
  IconUsb,
  IconUsers,
  IconWebhook,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { Catalogue } from "../text";

type Link = {
  to: string;
  text: keyof Catalogue["common"]["navigation"];
  icon: ComponentType<{ size?: number; stroke?: number }>;
  /** The operation without which the page makes no sense. */
  needs?: string;
};
export type Group = { text?: keyof Catalogue["common"]["navigation"]; links: Link[] };

/** The places of the navigation. */
const navigation: Group[] = [
  {
    links: [
      { to: "/", text: "overview", icon: IconLayoutDashboard },
      { to: "/tokens", text: "tokens", icon: IconUsb },
      { to: "/certificates", text: "certificates", icon: IconCertificate },
    ],
  },
  {
    text: "organization",
    links: [
      { to: "/admin/desk", text: "desk", icon: IconChecklist, needs: "register-hwkey" },
      { to: "/admin/tokens", text: "stock", icon: IconPackage, needs: "register-hwkey" },
      { to: "/admin/people", text: "people", icon: IconUsers, needs: "list-users" },
      { to: "/admin/organizations", text: "organizations", icon: IconBuilding, needs: "create-organization" },
      { to: "/admin/profiles", text: "profiles", icon: IconId, needs: "create-profile" },
      { to: "/admin/cas", text: "cas", icon: IconShieldCheck, needs: "request-ca" },
      { to: "/admin/audit", text: "audit", icon: IconFileSearch, needs: "list-audit" },
      { to: "/admin/compliance", text: "compliance", icon: IconClipboardCheck, needs: "compliance-report" },
      { to: "/admin/api-keys", text: "apiKeys", icon: IconKey, needs: "list-api-keys" },
      { to: "/admin/webhooks", text: "webhooks", icon: IconWebhook, needs: "list-webhooks" },
    ],
  },
  {
    text: "system",
    links: [
      { to: "/system/health", text: "health", icon: IconActivityHeartbeat, needs: "system-health" },
      { to: "/system/backups", text: "backups", icon: IconDatabaseExport, needs: "list-backups" },
      { to: "/system/license", text: "license", icon: IconLicense, needs: "get-license" },
      { to: "/system/mail", text: "mail", icon: IconMail, needs: "get-mail-settings" },
      { to: "/system/settings", text: "settings", icon: IconSettings, needs: "put-password-policy" },
    ],
  },
];

/** places are those that a person may go to. */
export function places(may: (operation: string) => boolean, role: string): Group[] {
  return navigation
    .map((group) => ({
      ...group,
      // An audit log of one's own entries is in the profile.
      links: group.links.filter((l) => !l.needs || (may(l.needs) && !(l.needs === "list-audit" && role === "user"))),
    }))
    .filter((group) => group.links.length > 0);
}
