import classes from "./tabs.module.css";

interface TabsProps<Name extends string> {
  readonly tabs: readonly { readonly name: Name; readonly title: string }[];
  readonly chosen: Name;
  /** Undefined for the first tab, which is there where the address names none. */
  readonly choose: (name: Name | undefined) => void;
}

/** Views of one page, of which one is shown. */
export function Tabs<Name extends string>({ tabs, chosen, choose }: TabsProps<Name>) {
  return (
    <nav aria-label="View" className={classes.tabs}>
      {tabs.map(({ name, title }, index) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => choose(index === 0 ? undefined : name)}>
          {title}
        </button>
      ))}
    </nav>
  );
}
