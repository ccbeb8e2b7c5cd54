import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useText } from "../text";

type Props = {
  value: string;
  /** What is copied, for the button's name: "Copy serial number". */
  label?: string;
  /** Shown in place of the value itself, such as a shortened or hidden one. */
  children?: ReactNode;
};

/** Copyable shows a value that people carry elsewhere, with a button that copies it. */
export function Copyable({ value, label, children }: Props) {
  const t = useText();
  return (
    <span style={{ display: "inline-flex", alignItems: "center", gap: 4, maxWidth: "100%" }}>
      {children ?? <span className="mono">{value}</span>}
      <CopyButton value={value} timeout={2000}>
        {({ copied, copy }) => {
          const word = copied ? t.common.actions.copied : t.common.actions.copy;
          return (
            <Tooltip label={word}>
              <ActionIcon
                variant="subtle"
                color={copied ? undefined : "gray"}
                size="sm"
                onClick={copy}
                aria-label={label ? `${word}: ${label}` : word}
              >
                {copied ? <IconCheck size={15} aria-hidden /> : <IconCopy size={15} aria-hidden />}
              </ActionIcon>
            </Tooltip>
          );
        }}
      </CopyButton>
    </span>
  );
}
