import { useEffect, useState } from "react";

const quietMs = 300;

/** The value as it was when nobody had changed it for a while. */
export function useQuiet<Value>(value: Value): Value {
  const [quiet, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), quietMs);
    return () => clearTimeout(timer);
  }, [value]);
  return quiet;
}
