import { type DragEvent, type RefObject, useRef, useState } from "react";

type Dropping = {
  /** chosen is what a FileButton hands on; forget its resetRef. */
  chosen: (file: File | null) => void;
  forget: RefObject<(() => void) | null>;
  /** zone are the properties of the element on which a file can be dropped; data-over while one is above it. */
  zone: {
    "data-over": boolean;
    onDragOver: (e: DragEvent) => void;
    onDragLeave: () => void;
    onDrop: (e: DragEvent) => void;
  };
};

/** useDropping takes a file, dropped or chosen, but none while the form is busy. */
export function useDropping(busy: boolean, onFile: (file: File) => void): Dropping {
  const [over, setOver] = useState(false);
  const forget = useRef<() => void>(null);
  const take = (file: File | null | undefined) => {
    if (file && !busy) onFile(file);
  };
  return {
    forget,
    chosen: (file) => {
      take(file);
      // A file that was corrected has the same name: without this, choosing it again changes nothing.
      forget.current?.();
    },
    zone: {
      "data-over": over,
      onDragOver: (e) => {
        e.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (e) => {
        e.preventDefault();
        setOver(false);
        take(e.dataTransfer.files[0]);
      },
    },
  };
}
