import { lazy, Suspense, useEffect, useState } from "react";
import classes from "./why.module.css";
import type { About } from "./why-panel.tsx";

// Loaded when somebody asks.
const WhyPanel = lazy(async () => ({ default: (await import("./why-panel.tsx")).WhyPanel }));

interface WhyButtonProps {
  readonly about: About;
  /** Of the tool. */
  readonly name: string;
}

/** Opens the reasons of a decision. */
export function WhyButton({ about, name }: WhyButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <WhyOpener name={name} onOpen={() => setOpen(true)} />
      {isOpen && <WhyDialog about={about} name={name} close={() => setOpen(false)} />}
    </>
  );
}

interface WhyOpenerProps {
  readonly name: string;
  readonly onOpen: (name: string) => void;
  readonly tabIndex?: number;
}

/** The button alone, for lists that share one dialog. */
export function WhyOpener({ name, onOpen, tabIndex }: WhyOpenerProps) {
  return (
    <button
      type="button"
      className={classes.open}
      tabIndex={tabIndex}
      aria-label={`Why: ${name}`}
      aria-haspopup="dialog"
      onClick={() => onOpen(name)}
    >
      Why
    </button>
  );
}

export function WhyDialog(props: WhyButtonProps & { readonly close: () => void }) {
  useEffect(() => {
    const opener = document.activeElement;
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    <Suspense>
      <WhyPanel {...props} />
    </Suspense>
  );
}
