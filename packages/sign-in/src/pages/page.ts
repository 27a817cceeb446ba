import { html, type Markup } from "../html.ts";

/**
 * No script at all; forms may lead to the client that asked, so where they go is not restricted. With "no-referrer" browsers would send every
 * form with the origin "null" (Fetch, the `Origin` header), which `readForm` refuses.
 */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

const style =
  ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:3rem auto;padding:0 1rem;overflow-wrap:anywhere}label{display:block;margin:.75rem 0}input,select{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.4rem}button{font:inherit;padding:.4rem 1rem;margin:.5rem .5rem 0 0}.wrong{color:light-dark(#b3261e,#ff8a80)}";

export function page(
  title: string,
  body: Markup,
  { status = 200, wrong, done }: { readonly status?: number; readonly wrong?: string | undefined; readonly done?: string | undefined } = {},
): Response {
  const { markup } = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} - Toolwright</title>
<style>${{ markup: style }}</style>
<h1>${title}</h1>
${wrong !== undefined && html`<p class="wrong" role="alert">${wrong}</p>`}
${done !== undefined && html`<p role="status">${done}</p>`}
${body}
</html>
`;
  return new Response(markup, { status, headers });
}

export function tooManyAttempts(seconds: number | undefined): string {
  const wait = seconds === undefined ? "a minute" : seconds === 1 ? "a second" : `${seconds} seconds`;
  return `Too many attempts from your address. Wait ${wait}, then try again.`;
}

export function redirect(location: string, cookies: readonly string[] = []): Response {
  const answer = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  for (const cookie of cookies) answer.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers: answer });
}
