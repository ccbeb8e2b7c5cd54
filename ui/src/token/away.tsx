import { Anchor, Card, Group, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Lifetime } from "../parts/lifetime";
import { TokenStatus } from "../parts/status";
import { useText } from "../text";
import { Details, titleOf } from "./card";
import classes from "./card.module.css";
import type { Device } from "./next";
import { TokenPicture } from "./picture";
import { SlotChip } from "./slotlist";
import { slotViews } from "./slots";

/** Away is a token on record, mostly one that is not plugged in: what is known of it, and the way to its page. */
export function Away({ device, plugged = false }: { device: Device; plugged?: boolean }) {
  const words = useText().tokens;
  const views = slotViews(device.certificates);
  const held = views.filter((v) => v.certificate);
  const name = titleOf(device);
  return (
    <Card component="section" aria-label={`${name} ${device.serial}`} padding="md">
      <div className={classes.small}>
        <TokenPicture
          serial={device.serial}
          formFactor={device.form_factor}
          model={device.model}
          slots={views}
          plugged={plugged}
          width={48}
        />
        <div style={{ minWidth: 0 }}>
          <Group gap="xs" justify="space-between" wrap="wrap">
            <Title order={3}>
              <Anchor component={Link} to={`/tokens/${device.serial}`} c="inherit" inherit>
                {name}
              </Anchor>
            </Title>
            <TokenStatus value={device.status} />
          </Group>
          <Details device={device} />
          {device.secrets.rotation_pending ? (
            <Text size="sm" className={classes.warn}>
              {words.states.pending}
            </Text>
          ) : null}
          {held.length === 0 ? (
            <Text size="sm" c="dimmed" mt={6}>
              {words.slot.noCertificates}
            </Text>
          ) : null}
          <ul className={classes.slots} style={{ marginTop: 6 }}>
            {held.map((v) => (
              <li key={v.slot} className={classes.slot} style={{ minHeight: 26 }}>
                <SlotChip slot={v.slot} light={v.light} />
                {v.certificate ? (
                  <Lifetime
                    notBefore={v.certificate.notBefore}
                    notAfter={v.certificate.notAfter}
                    status={v.certificate.status}
                  />
                ) : null}
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Card>
  );
}
