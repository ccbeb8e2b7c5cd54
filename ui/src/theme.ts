import { createTheme, type MantineThemeOverride, mergeThemeOverrides } from "@mantine/core";
import { palette } from "./colors";

export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 5 },
  autoContrast: true,
  colors: palette,
  fontFamily: 'Inter, "Inter until then", "Segoe UI", system-ui, -apple-system, sans-serif', // fonts/inter.css
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  defaultRadius: "md",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  headings: {
    fontWeight: "650",
    sizes: { h1: { fontSize: "1.375rem" }, h2: { fontSize: "1.0625rem" }, h3: { fontSize: "0.9375rem" } },
  },
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: "sm" } },
    // Names and the like are written in any script.
    TextInput: { defaultProps: { dir: "auto" } },
    Textarea: { defaultProps: { dir: "auto" } },
    // Help stands below its field everywhere. Nothing is marked as required: what may stay empty says so.
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ["label", "input", "error", "description"], withAsterisk: false },
    },
    // Mantine spaces a badge's letters for capitals, which ours are not.
    Badge: { styles: { root: { letterSpacing: 0 } } },
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: 12 } },
    Card: { defaultProps: { withBorder: true, padding: "lg", radius: "lg" } },
    // A dialog's heading is no banner of the page.
    ModalHeader: { defaultProps: { role: "presentation" } },
    DrawerHeader: { defaultProps: { role: "presentation" } },
    Modal: {
      defaultProps: { centered: true, radius: "lg" },
      styles: { title: { fontWeight: 650, fontSize: "1.0625rem" } },
    },
    // Mantine's grey for the text below a title has too little contrast.
    Notification: { styles: { description: { color: "var(--mantine-color-text)" } } },
    // What takes the first focus in its place stands between a menu and its items.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Tooltip: { defaultProps: { openDelay: 300 } },
  },
});

/** worded puts words of the present language where Mantine has English ones. reveal: of the eye in a password's field. */
export function worded(theme: MantineThemeOverride, reveal: string): MantineThemeOverride {
  // Mantine leaves the eye out of the order of Tab, and then only a mouse could use it.
  const visibilityToggleButtonProps = { "aria-label": reveal, tabIndex: 0 };
  return mergeThemeOverrides(theme, {
    components: { PasswordInput: { defaultProps: { visibilityToggleButtonProps } } },
  });
}
