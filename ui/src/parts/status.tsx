import { Badge, type MantineColor } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArchive,
  IconBan,
  IconCircleCheck,
  IconClockOff,
  IconHelpCircle,
  IconHourglassLow,
  IconPackage,
  IconPlayerPause,
  IconUserCheck,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { Schema } from "../api/client";
import { useText } from "../text";
import { certificateState, type Dated } from "./certificate-state";
import { useMinute } from "./when";

type Icon = ComponentType<{ size?: number; stroke?: number }>;
type Look = { color: MantineColor; icon: Icon };

/** Status is a word with a sign and a colour, so that none of the three is alone. */
export function Status({ color, icon: Sign, children }: Look & { children: string }) {
  return (
    <Badge
      variant="light"
      color={color}
      radius="sm"
      tt="none"
      fw={600}
      size="md"
      leftSection={<Sign size={14} stroke={2} aria-hidden />}
      // The word is never cut off, in the narrowest table cell either.
      styles={{ root: { flexShrink: 0, minWidth: "max-content" } }}
    >
      {children}
    </Badge>
  );
}

const tokens: Record<Schema<"HWKey">["status"], Look> = {
  in_stock: { color: "gray", icon: IconPackage },
  assigned: { color: "blue", icon: IconUserCheck },
  active: { color: "accent", icon: IconCircleCheck },
  suspended: { color: "orange", icon: IconPlayerPause },
  lost: { color: "red", icon: IconAlertTriangle },
  retired: { color: "gray", icon: IconArchive },
};

/** TokenStatus shows where a token stands in its life. */
export function TokenStatus({ value }: { value: Schema<"HWKey">["status"] }) {
  const t = useText();
  return <Status {...tokens[value]}>{t.common.status[value]}</Status>;
}

const certificates: Record<ReturnType<typeof certificateState>, Look> = {
  issued: { color: "accent", icon: IconCircleCheck },
  expiring: { color: "orange", icon: IconHourglassLow },
  unconfirmed: { color: "orange", icon: IconHelpCircle },
  expired: { color: "gray", icon: IconClockOff },
  revoked: { color: "red", icon: IconBan },
};

/**
 * CertificateStatus shows how a certificate stands now. It takes the short
 * form of a token's certificates, too, which are neither revoked nor expired.
 */
export function CertificateStatus({ certificate }: { certificate: Dated }) {
  const t = useText();
  useMinute();
  const state = certificateState(certificate);
  const words = { ...t.common.certificateStatus, ...t.certificates.state };
  return <Status {...certificates[state]}>{words[state]}</Status>;
}
