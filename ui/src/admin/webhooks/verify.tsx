import { Code, Stack, Text } from "@mantine/core";
import { Copyable } from "../../parts/copy";
import { Facts } from "../../system/facts";
import { useText } from "../../text";

// The same as in docs/integrating.md.
const example = `import base64, hashlib, hmac, time

def verified(secret, headers, body):   # body: the bytes as they came
    if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f'{headers["webhook-id"]}.{headers["webhook-timestamp"]}.'.encode() + body
    want = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(one, "v1," + want)
               for one in headers["webhook-signature"].split())`;

/** Verify tells the people of the receiver how to check a message. */
export function Verify() {
  const words = useText().webhooks.verify;
  return (
    <Stack gap="sm">
      <Text size="sm">{words.text}</Text>
      <Facts
        items={Object.entries(words.headers).map(([header, meaning]) => [header, <span key={header}>{meaning}</span>])}
      />
      <Copyable value={example} label={words.example}>
        <Text size="sm" fw={600}>
          {words.example}
        </Text>
      </Copyable>
      <Code block tabIndex={0} role="region" aria-label={words.example}>
        {example}
      </Code>
      <Text size="sm" c="dimmed">
        {words.answer}
      </Text>
    </Stack>
  );
}
