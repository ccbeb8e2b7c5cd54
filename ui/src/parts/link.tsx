import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

type Props = ButtonProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>;

/** ButtonLink looks like a button and leads to a page of ours; its address is checked by the compiler. */
export const ButtonLink = createLink(function ButtonLink({ ref, ...props }: Props & { ref?: Ref<HTMLAnchorElement> }) {
  return <Button component="a" ref={ref} {...props} />;
});

type TextProps = AnchorProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps>;

/** TextLink leads to a page of ours from within a text or a table; its address is checked by the compiler. */
export const TextLink = createLink(function TextLink({ ref, ...props }: TextProps & { ref?: Ref<HTMLAnchorElement> }) {
  return <Anchor ref={ref} {...props} />;
});

/** BackLink leads from a page to the one that it is a part of: above its title, or to the way out of nowhere. */
export const BackLink = createLink(function BackLink({
  ref,
  children,
  ...props
}: TextProps & { ref?: Ref<HTMLAnchorElement> }) {
  return (
    <Anchor ref={ref} size="sm" {...props}>
      <IconArrowLeft size={14} aria-hidden style={{ verticalAlign: -2 }} /> {children}
    </Anchor>
  );
});
