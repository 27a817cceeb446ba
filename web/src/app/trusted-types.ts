interface PolicyFactory {
  createPolicy(name: string, rules: { readonly createHTML: (text: string) => string }): unknown;
}

// Libraries write style sheets as HTML; markup is refused, whoever writes it.
(globalThis as { readonly trustedTypes?: PolicyFactory }).trustedTypes?.createPolicy("default", {
  createHTML(text) {
    if (text.includes("<")) throw new TypeError("This page takes no markup from text.");
    return text;
  },
});
