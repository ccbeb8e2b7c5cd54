import { Button, Group, Text } from "@mantine/core";
import { IconShieldSearch } from "@tabler/icons-react";
import { use } from "react";
import { TextLink } from "../../parts/link";
import { When } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";
import type { Entry } from "./fold";
import { useSeal } from "./seal";
import { Verifying } from "./verify";
import { findingOf } from "./verifying";

/** Proof is the field that says whether an entry is sealed, and what the last verification on this page found of it. */
export function Proof({ entry: e }: { entry: Entry }) {
  const t = useText();
  const may = useMay();
  const words = t.audit.proof;
  const verification = use(Verifying);
  const { data: seal } = useSeal();
  if (!seal) return null;
  const last = verification?.last;
  const found = last ? findingOf(e.id, last) : null;
  return (
    <>
      <dt>{words.seal}</dt>
      <Group component="dd" gap="xs">
        <Text span inherit>
          {e.id <= seal.last_sealed_id ? words.sealed : words.waits}
          {found && last ? (
            <>
              {" "}
              <Text span inherit fw={600} c={last.result.ok ? undefined : "red"}>
                {words[found]}
              </Text>{" "}
              (<When at={last.ended} as="exact" />
              ).
            </>
          ) : null}
        </Text>
        {!may("audit-verify") ? null : verification ? (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconShieldSearch size={14} aria-hidden />}
            loading={verification.state.at === "running"}
            onClick={verification.start}
          >
            {t.audit.verify.now}
          </Button>
        ) : (
          <TextLink to="/admin/audit" size="sm">
            {words.elsewhere}
          </TextLink>
        )}
      </Group>
    </>
  );
}
