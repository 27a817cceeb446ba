import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../api/client.ts";
import { wordsOf } from "../api/words.ts";
import { Artifacts } from "./artifacts.tsx";
import classes from "./result.module.css";
import { type Artifact, artifactOf, artifactsOf } from "./view-spec.ts";

interface ImageBlockProps {
  readonly value: unknown;
  readonly alt: string;
  readonly artifacts: readonly Artifact[];
}

/** Pictures that a browser draws and that hold no program. */
const pictures = /^image\/(png|jpeg|gif|webp|avif)$/;

/** A picture that the call saved. It comes through the page's own client and is shown from memory: no address that an output names is asked. */
export function ImageBlock({ value, alt, artifacts }: ImageBlockProps) {
  const artifact = artifactOf(value, artifacts);
  const id = artifact?.id ?? "";
  const { data: blob, error } = useQuery({
    queryKey: ["artifact", id],
    queryFn: async ({ signal }) => (await api().artifact(id, { signal })).blob(),
    enabled: artifact !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const url = useBlobUrl(blob && pictures.test(blob.type) ? blob : undefined);
  if (!artifact) return <p className="dim">{`${alt}: the output names no artifact, so no image is shown.`}</p>;
  if (error) return <p role="alert">{`The image ${alt} cannot be shown. ${wordsOf(error)}`}</p>;
  if (!blob) return <p className="dim">Loading the image …</p>;
  if (!pictures.test(blob.type)) return <p className="dim">{`${alt}: ${blob.type || "a file of no type"} is not shown as an image.`}</p>;
  return url === undefined ? null : <img className={classes.image} src={url} alt={alt} />;
}

/** An address for what the page holds, for as long as it is shown. */
function useBlobUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}

/** Files that the call saved. */
export function FileBlock({ value, artifacts }: Omit<ImageBlockProps, "alt">) {
  const found = artifactsOf(value, artifacts);
  if (found.length === 0) return <p className="dim">The output names no artifact.</p>;
  return <Artifacts artifacts={found} />;
}
