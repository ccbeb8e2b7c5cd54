import {
  IconBell,
  IconCertificate,
  IconDatabaseExport,
  IconDeviceDesktop,
  IconLicense,
  IconShieldLock,
  IconUsb,
} from "@tabler/icons-react";

/** What a notice is about, by how its kind begins. */
const subjects: readonly [RegExp, typeof IconBell][] = [
  [/^agent_/, IconDeviceDesktop],
  [/^(account|admin|password|email|audit|stores|secrets|release)_/, IconShieldLock],
  [/^token_/, IconUsb],
  [/^(ca|certificates?)_/, IconCertificate],
  [/^(backup|drill)_/, IconDatabaseExport],
  [/^license_/, IconLicense],
];

/** noticeIcon is the sign of a notice; one of a kind that is not known here has the bell. */
export function noticeIcon(kind: string): typeof IconBell {
  return subjects.find(([begin]) => begin.test(kind))?.[1] ?? IconBell;
}
