import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle, IconHourglassLow } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { licenseQuery } from "../license/calls";
import { kindOf, leftOf, noticed, toneOf } from "../license/standing";
import { TextLink } from "../parts/link";
import { useMay } from "../session/hooks";
import { useText } from "../text";

/** Licensing tells whoever can do something about it that the license or trial ends soon, or is none any more. */
export function Licensing({ mb }: { mb?: string }) {
  const may = useMay();
  const { pathname } = useLocation();
  // The page itself says the same, and more.
  return may("get-license") && pathname !== "/system/license" ? <Banner mb={mb} /> : null;
}

function Banner({ mb }: { mb?: string }) {
  const words = useText().license;
  const { data: license } = useQuery(licenseQuery);
  if (!license || !noticed(license)) return null;
  const kind = kindOf(license);
  const bad = toneOf(kind) === "bad";
  const left = leftOf(license);
  return (
    <Alert
      role="status"
      color={bad ? "red" : "orange"}
      variant="light"
      mb={mb}
      icon={bad ? <IconAlertTriangle aria-hidden /> : <IconHourglassLow aria-hidden />}
      title={words.standing[kind].title}
    >
      <Text size="sm">
        {license.restricted && license.no_public_key
          ? words.noKey("")
          : license.restricted
            ? words.banner.restricted
            : words.banner.ending(words.left(left?.days ?? 0))}{" "}
        <TextLink to="/system/license" inherit underline="always">
          {words.banner.link}
        </TextLink>
      </Text>
    </Alert>
  );
}
