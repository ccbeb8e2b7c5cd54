import { Box, Button, FileButton, Text } from "@mantine/core";
import { IconFileTypeCsv, IconUpload } from "@tabler/icons-react";
import { useDropping } from "../../parts/dropping";
import { useText } from "../../text";
import styles from "./drop.module.css";

type Props = {
  name: string | undefined;
  busy: boolean;
  /** What a file may be. */
  limit: string;
  onFile: (file: File) => void;
};

/** Drop takes a file, dropped or chosen. */
export function Drop({ name, busy, limit, onFile }: Props) {
  const words = useText().stock.importing;
  const { zone, chosen, forget } = useDropping(busy, onFile);
  return (
    // Dropping is an extra: the button inside does the same by keyboard.
    <Box className={styles.drop} {...zone}>
      <IconFileTypeCsv size={34} stroke={1.4} aria-hidden />
      <Text size="sm" fw={name ? 600 : undefined} style={{ overflowWrap: "anywhere" }}>
        {name ?? words.drop}
      </Text>
      <FileButton accept=".csv,text/csv" disabled={busy} resetRef={forget} onChange={chosen}>
        {(props) => (
          <Button {...props} variant={name ? "default" : "filled"} leftSection={<IconUpload size={16} aria-hidden />}>
            {name ? words.chooseOther : words.choose}
          </Button>
        )}
      </FileButton>
      <Text size="xs" c="dimmed">
        {limit}
      </Text>
    </Box>
  );
}
