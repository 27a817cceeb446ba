import { type CSSVariablesResolver, createTheme, defaultVariantColorsResolver, type MantineColorsTuple } from "@mantine/core";

const accents = Array.from({ length: 10 }, () => "var(--accent)") as unknown as MantineColorsTuple;

/** Overlays stand inside the page's `<main>`: then everything on the page is within a landmark. */
const portalProps = { target: "#overlays" };

export const theme = createTheme({
  fontFamily: "system-ui, sans-serif",
  fontFamilyMonospace: "var(--mono)",
  fontSizes: { xs: "12px", sm: "13px", md: "14px" },
  lineHeights: { xs: "16px", sm: "20px", md: "20px" },
  colors: { accent: accents },
  primaryColor: "accent",
  defaultRadius: "var(--radius)",
  cursorType: "pointer",
  respectReducedMotion: true,
  autoContrast: false,
  // White on the accent of the dark scheme could not be read.
  variantColorResolver(input) {
    const colors = defaultVariantColorsResolver(input);
    return input.variant === "filled" ? { ...colors, color: "var(--accent-ink)" } : colors;
  },
  // By name: the components themselves load with the pages that show them.
  components: {
    // Where it would be in the flow is beside the sidebar.
    Modal: { defaultProps: { portalProps, centered: true, transitionProps: { duration: 120 }, styles: { inner: { left: 0 } } } },
    // A placeholder that takes the focus has no name that could be read out.
    Menu: { defaultProps: { portalProps, withInitialFocusPlaceholder: false, transitionProps: { duration: 120 } } },
    Popover: { defaultProps: { portalProps, transitionProps: { duration: 120 } } },
    Select: { defaultProps: { comboboxProps: { portalProps } } },
    MultiSelect: { defaultProps: { comboboxProps: { portalProps } } },
    Tooltip: { defaultProps: { portalProps } },
  },
});

const colors = {
  "--mantine-color-body": "var(--canvas)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-dimmed": "var(--dim)",
  "--mantine-color-placeholder": "var(--dim)",
  "--mantine-color-anchor": "var(--accent)",
  "--mantine-color-error": "var(--blocked)",
  "--mantine-color-default": "var(--surface)",
  "--mantine-color-default-hover": "var(--sunken)",
  "--mantine-color-default-color": "var(--text)",
  "--mantine-color-default-border": "var(--field)",
  "--mantine-color-disabled": "var(--sunken)",
  "--mantine-color-disabled-color": "var(--dim)",
  "--mantine-color-disabled-border": "var(--line)",
  "--mantine-primary-color-contrast": "var(--accent-ink)",
  "--mantine-primary-color-filled": "var(--accent)",
  "--mantine-primary-color-filled-hover": "var(--accent)",
  "--mantine-primary-color-light": "var(--accent-wash)",
  "--mantine-primary-color-light-hover": "var(--accent-wash)",
  "--mantine-primary-color-light-color": "var(--accent)",
  "--mantine-color-accent-filled": "var(--accent)",
  "--mantine-color-accent-filled-hover": "var(--accent)",
  "--mantine-color-accent-light": "var(--accent-wash)",
  "--mantine-color-accent-light-hover": "var(--accent-wash)",
  "--mantine-color-accent-light-color": "var(--accent)",
};

/** Components take their colours from the tokens, which change with the scheme by themselves. */
export const resolveVariables: CSSVariablesResolver = () => ({ variables: {}, light: colors, dark: colors });
