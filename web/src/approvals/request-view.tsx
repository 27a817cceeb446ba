import { visibleText } from "../api/client.ts";
import type { Item } from "../api/queries.ts";
import classes from "./exact-view.module.css";

/** A request as it would be sent; a secret is its name. */
export function RequestView({ item }: { readonly item: Extract<Item<"approvals.preview">, { readonly kind: "request" }> }) {
  const { method, url, headers, body, credential } = item;
  const rows = [
    { name: "Method", text: method },
    ...partsOf(url),
    ...headers.map(({ name, value }) => ({ name, text: value })),
    ...(credential === undefined ? [] : [{ name: "Secret", text: `${credential} (sent along, and shown to nobody)` }]),
    ...(body === undefined ? [] : [{ name: "Body", text: body }]),
  ];
  return (
    <dl className={classes.request}>
      {rows.map(({ name, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: headers may have one name
        <div key={index}>
          <dt>{visibleText(name)}</dt>
          <dd>
            <pre>{visibleText(text)}</pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Host and path as a client reads them; the address as it is written where that looks otherwise. */
export function partsOf(url: string): readonly { readonly name: string; readonly text: string }[] {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (!read) return [{ name: "Address", text: url }];
  const path = `${read.pathname}${read.search}${read.hash}`;
  return [
    { name: "Host", text: read.protocol === "https:" ? read.host : `${read.host} (${read.protocol.slice(0, -1)}, readable on the way)` },
    { name: "Path", text: path },
    ...(`${read.origin}${path}` === url || `${read.origin}${path}` === `${url}/` ? [] : [{ name: "As written", text: url }]),
  ];
}
