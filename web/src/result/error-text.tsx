import classes from "./result.module.css";

/** What went wrong. One of several lines may point at a place in one of them. */
export function ErrorText({ text }: { readonly text: string }) {
  return <p className={text.includes("\n") ? `${classes.lines} mono` : undefined}>{text}</p>;
}
