import { createTheme, type MantineColorsTuple } from "@mantine/core";

// One accent, ten shades; the sixth is the one on white (contrast 6.1:1), the
// fourth the one on dark.
const teal: MantineColorsTuple = [
  "#e6f5f2",
  "#cfe9e4",
  "#a0d3ca",
  "#6cbcae",
  "#43a896",
  "#0f8a79",
  "#0b6e62",
  "#095c52",
  "#064a42",
  "#033730",
];

export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 4 },
  autoContrast: true,
  colors: { accent: teal },
  fontFamily: 'Inter, "Segoe UI", system-ui, -apple-system, sans-serif',
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
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: 12 } },
    Card: { defaultProps: { withBorder: true, padding: "lg", radius: "lg" } },
    Modal: { defaultProps: { centered: true, radius: "lg" } },
    Tooltip: { defaultProps: { openDelay: 300 } },
  },
});
