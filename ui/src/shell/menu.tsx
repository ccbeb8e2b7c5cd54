import { Avatar, Menu as Dropdown, UnstyledButton, useMantineColorScheme, VisuallyHidden } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCheck, IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { called } from "../parts/person";
import { explain } from "../parts/problem";
import { useMe } from "../session/hooks";
import { session } from "../session/session";
import { type Language, languages, useSpoken, useText } from "../text";
import { useChooseLanguage } from "./language";

const schemes = [
  ["light", IconSun],
  ["dark", IconMoon],
  ["auto", IconDeviceDesktop],
] as const;

/** Menu is what belongs to the person: profile, appearance, language, sign-out. */
export function Menu() {
  const t = useText();
  const me = useMe();
  const language = useSpoken();
  const choose = useChooseLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const check = <IconCheck size={16} aria-hidden />;

  const leave = async () => {
    try {
      const url = await session.logout();
      queries.clear();
      if (url) location.assign(url);
      else await navigate({ to: "/login" });
    } catch (error) {
      // Whoever walks away now leaves an open session behind.
      const { detail, requestId } = explain(error);
      notifications.show({
        color: "red",
        title: t.login.stillIn,
        message: requestId ? `${detail} (${t.common.problem.requestId} ${requestId})` : detail,
        autoClose: false,
        closeButtonProps: { "aria-label": t.common.actions.close },
      });
    }
  };

  return (
    <Dropdown position="bottom-end" width={230}>
      <Dropdown.Target>
        <UnstyledButton style={{ borderRadius: "50%" }}>
          <Avatar name={called(me)} color="initials" size={34} aria-hidden />
          <VisuallyHidden>{`${called(me)}, ${t.common.menu}`}</VisuallyHidden>
        </UnstyledButton>
      </Dropdown.Target>
      <Dropdown.Dropdown>
        <Dropdown.Label>
          {called(me)} · {t.common.roles[me.role]}
        </Dropdown.Label>
        <Dropdown.Item component={Link} to="/profile" leftSection={<IconUser size={16} />}>
          {t.common.navigation.profile}
        </Dropdown.Item>
        <Dropdown.Divider />
        <Dropdown.Label>{t.common.scheme.label}</Dropdown.Label>
        {schemes.map(([scheme, Icon]) => (
          <Dropdown.Item
            key={scheme}
            leftSection={<Icon size={16} />}
            rightSection={colorScheme === scheme ? check : null}
            onClick={() => setColorScheme(scheme)}
            closeMenuOnClick={false}
          >
            {t.common.scheme[scheme]}
          </Dropdown.Item>
        ))}
        <Dropdown.Label>{t.common.language}</Dropdown.Label>
        {(Object.keys(languages) as Language[]).map((l) => (
          <Dropdown.Item
            key={l}
            lang={l}
            rightSection={language === l ? check : null}
            onClick={() => choose(l)}
            closeMenuOnClick={false}
          >
            {languages[l]}
          </Dropdown.Item>
        ))}
        <Dropdown.Divider />
        <Dropdown.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          {t.common.navigation.signOut}
        </Dropdown.Item>
      </Dropdown.Dropdown>
    </Dropdown>
  );
}
