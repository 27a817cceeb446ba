import { setNonce } from "get-nonce";

/** Of this response: what adds style sheets shows it (CSP). */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

// For overlays, which keep the page behind them from scrolling with a style sheet of their own.
setNonce(nonce);
