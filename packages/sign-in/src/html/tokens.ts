/** Colours of the console (`web/src/style/tokens.css`) in the light and in the dark scheme. */
export const tokens: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  canvas: ["#fbfbfa", "#131315"],
  surface: ["#ffffff", "#1a1a1d"],
  sunken: ["#f4f4f2", "#0f0f11"],
  line: ["#e3e2de", "#2e2e33"],
  field: ["#8a8881", "#74727a"],
  text: ["#1c1b19", "#ecebe8"],
  dim: ["#5f5d57", "#a3a19b"],
  accent: ["#3b4cca", "#aab4ff"],
  "accent-ink": ["#ffffff", "#14162b"],
  runs: ["#1d6b3a", "#7fd39b"],
  "runs-wash": ["#e8f5ec", "#14281b"],
  asks: ["#8a4b00", "#f2b35b"],
  "asks-wash": ["#fff4e0", "#2e2212"],
  blocked: ["#a61b1b", "#ff9a92"],
  "blocked-wash": ["#fdeceb", "#331817"],
};
