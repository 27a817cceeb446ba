/** Where a run with a filtered network has its proxy: what Chromium does not ask there it does not reach. */
const proxy = "http://127.0.0.1:3128";

/** What Chromium would ask of its makers by itself, and what only a person at a screen needs. */
const withoutFeatures = [
  ...["AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "DestroyProfileOnBrowserClose", "DialMediaRouteProvider"],
  ...["GlobalMediaControls", "HttpsUpgrades", "InterestFeedContentSuggestions", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying"],
  ...[
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "PreconnectToSearchNonGoogle",
    "SafeBrowsingEnhancedProtection",
    "Translate",
  ],
].join(",");

/** Chromium keeps its own sandbox: nothing here takes a part of it away. */
export const chromiumFlags: readonly string[] = [
  ...["--headless=new", "--remote-debugging-pipe", "--user-data-dir=/tmp/profile", "--disable-dev-shm-usage"],
  // It draws in software, as there is no screen. It does so in a process of its own, without which one start of ten of Chromium 150 ended early.
  ...["--disable-gpu", "--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb"],
  ...[`--proxy-server=${proxy}`, "--proxy-bypass-list=<-loopback>", "--disable-quic"],
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  ...["--disable-background-networking", "--disable-component-update", "--disable-domain-reliability", "--disable-sync", "--no-pings"],
  ...["--disable-client-side-phishing-detection", "--disable-field-trial-config", "--disable-search-engine-choice-screen"],
  ...["--disable-extensions", "--disable-component-extensions-with-background-pages", "--disable-default-apps"],
  ...["--disable-breakpad", "--disable-crash-reporter", "--metrics-recording-only", "--no-service-autorun"],
  ...["--no-first-run", "--no-default-browser-check", "--disable-hang-monitor", "--disable-prompt-on-repost", "--disable-infobars"],
  ...[
    "--no-startup-window",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
  ],
  ...["--disable-back-forward-cache", "--password-store=basic", "--log-level=3"],
  `--disable-features=${withoutFeatures}`,
];
