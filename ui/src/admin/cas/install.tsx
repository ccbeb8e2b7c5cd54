import { Box, Button, FileButton, Group, Textarea } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { api, ask } from "../../api/client";
import { isProblem } from "../../api/problem";
import { type Attempt, useAttempt } from "../../parts/attempt";
import { useDropping } from "../../parts/dropping";
import { Dialog, Form } from "../../parts/form";
import { useForm } from "../../parts/useform";
import { useLanguage, useText } from "../../text";
import { say } from "../../text/say";
import { useChange } from "./change";
import { mostBytes, pemOf } from "./files";
import type { CA } from "./queries";
import { nameOf } from "./step";

type Props = { ca: CA; opened: boolean; onClose: () => void };

/** InstallDialog takes the certificate that somebody made from a request. */
export function InstallDialog({ ca, opened, onClose }: Props) {
  const words = useText().cas.install;
  const attempt = useAttempt();
  return (
    <Dialog attempt={attempt} opened={opened} onClose={onClose} size="lg" title={words.title(nameOf(ca.subject))}>
      <InstallForm ca={ca} attempt={attempt} onClose={onClose} />
    </Dialog>
  );
}

function InstallForm({ ca, attempt, onClose }: { ca: CA; attempt: Attempt; onClose: () => void }) {
  const words = useText().cas.install;
  const change = useChange();
  const form = useForm(attempt, { certificate: "", chain: "" });
  const refusal = useRefusal(attempt);
  const { certificate, chain } = form.values;
  const install = async () => {
    const path = { id: ca.id };
    const body = { certificate, ...(chain.trim() && { chain }) };
    await change(() => ask(api.POST("/api/admin/cas/{id}/certificate", { params: { path }, body })), words.done);
    onClose();
  };
  return (
    <Form attempt={attempt} onSubmit={install} submit={words.submit} disabled={!certificate.trim()} onCancel={onClose}>
      <PemField
        label={words.certificate}
        description={words.certificateHint}
        busy={attempt.busy}
        autofocus
        {...form.getInputProps("certificate")}
        error={attempt.field("certificate", refusal("certificate"))}
      />
      <PemField
        label={words.chain}
        description={words.chainHint}
        busy={attempt.busy}
        {...form.getInputProps("chain")}
        error={attempt.field("chain", refusal("chain"))}
      />
    </Form>
  );
}

/** useRefusal gives a field the whole sentence on why a certificate was refused: it says more than the field's own. */
function useRefusal({ problem }: Attempt): (field: string) => string | undefined {
  const { sentences } = useText();
  const language = useLanguage();
  if (!isProblem(problem, "ca_rejected")) return () => undefined;
  const { code, params, detail: text } = problem;
  return (field) => (problem.of(field).length > 0 ? say({ code, params, text }, sentences, language) : undefined);
}

type FieldProps = {
  label: string;
  description: string;
  busy: boolean;
  autofocus?: boolean;
  value: string;
  onChange: (text: string) => void;
  error: ReactNode;
};

/** PemField takes certificates: pasted, dropped, or chosen as a file. */
function PemField({ label, description, busy, autofocus = false, value, onChange, error }: FieldProps) {
  const words = useText().cas.install;
  const [wrong, setWrong] = useState<string | null>(null);
  const put = (text: string, why: string | null = null) => {
    onChange(text);
    setWrong(why);
  };
  const take = async (file: File) => {
    if (file.size > mostBytes) return put("", words.tooLarge);
    try {
      put(pemOf(new Uint8Array(await file.arrayBuffer())));
    } catch {
      put("", words.unreadable);
    }
  };
  const { zone, chosen, forget } = useDropping(busy, (file) => void take(file));
  return (
    // Dropping is an extra: the button does the same by keyboard.
    <Box {...zone}>
      <Textarea
        label={label}
        description={description}
        value={value}
        onChange={(e) => put(e.currentTarget.value)}
        error={wrong ?? error}
        readOnly={busy}
        rows={5}
        maxLength={mostBytes}
        spellCheck={false}
        autoComplete="off"
        data-autofocus={autofocus || undefined}
        classNames={{ input: "mono" }}
      />
      <Group mt={6}>
        <FileButton
          accept=".pem,.crt,.cer,.der,application/x-pem-file,application/pkix-cert"
          disabled={busy}
          resetRef={forget}
          onChange={chosen}
        >
          {(props) => (
            <Button
              {...props}
              size="compact-sm"
              variant="default"
              aria-label={`${words.choose}: ${label}`}
              leftSection={<IconFile size={14} aria-hidden />}
            >
              {words.choose}
            </Button>
          )}
        </FileButton>
      </Group>
    </Box>
  );
}
