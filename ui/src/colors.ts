import { alpha, type CSSVariablesResolver, DEFAULT_THEME, type MantineColorsTuple } from "@mantine/core";

/** deepened is one of Mantine's colours whose darkest shade is readable on its lightest ones. */
function deepened(name: string, darkest: string): MantineColorsTuple {
  const [a, b, c, d, e, f, g, h, i] = DEFAULT_THEME.colors[name] ?? [];
  return [a, b, c, d, e, f, g, h, i, darkest] as unknown as MantineColorsTuple;
}

/** The colours that mean something, and the greys of the dark scheme. */
export const palette: Record<string, MantineColorsTuple> = {
  // One accent, ten shades, from 0: the sixth is the one on white (contrast
  // 6.1:1). On dark the fifth carries white words (4.7:1), the fourth is for signs.
  accent: [
    "#e6f5f2",
    "#cfe9e4",
    "#a0d3ca",
    "#6cbcae",
    "#43a896",
    "#0c8273",
    "#0b6e62",
    "#095c52",
    "#064a42",
    "#033730",
  ],
  // From text to what lies behind everything; the seventh is a panel.
  dark: ["#d7dce3", "#bcc4ce", "#a8b0bb", "#7d8794", "#3b4550", "#2d3640", "#232a32", "#1b2027", "#14181d", "#0f1216"],
  red: deepened("red", "#b02525"),
  orange: deepened("orange", "#9c3608"),
  yellow: deepened("yellow", "#7d5200"),
  green: deepened("green", "#1d6b2b"),
  lime: deepened("lime", "#3d6200"), // of some people's initials
  teal: deepened("teal", "#06694b"),
};

const meaningful = ["accent", "red", "orange", "yellow", "green", "teal", "blue", "gray"];

/** resolver corrects what Mantine's own colours leave below 4.5:1, in either scheme. */
export const resolver: CSSVariablesResolver = (theme) => {
  const light: Record<string, string> = {
    "--mantine-color-dimmed": "#56606f",
    "--mantine-color-placeholder": "#687385",
    "--mantine-color-error": "var(--mantine-color-red-9)",
    "--mantine-color-red-6": "#c92a2a", // of the words of a menu (5.5:1)
  };
  const dark: Record<string, string> = {
    "--mantine-color-placeholder": "#8e98a6",
    "--mantine-color-error": "var(--mantine-color-red-4)",
    "--mantine-color-red-6": "var(--mantine-color-red-4)", // as above (5.3:1 under the pointer)
    // Links also stand on the ground of a row under the pointer.
    "--mantine-color-anchor": "var(--mantine-color-accent-3)",
    "--mantine-color-accent-text": "var(--mantine-color-accent-3)",
  };
  for (const name of meaningful) {
    const shades = theme.colors[name];
    if (!shades) continue;
    // Words on a coloured button without a ground, and on a tinted one.
    if (name !== "accent") light[`--mantine-color-${name}-text`] = shades[name === "gray" ? 7 : 9];
    dark[`--mantine-color-${name}-light`] = alpha(shades[5], 0.17);
    dark[`--mantine-color-${name}-light-hover`] = alpha(shades[5], 0.25);
    dark[`--mantine-color-${name}-light-color`] = shades[2];
  }
  return { variables: {}, light, dark };
};
