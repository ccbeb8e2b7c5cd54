/** stored reads what this browser remembers of a person's choices; null: nothing that can be read. */
export function stored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(`keyward-${key}`) ?? "null");
  } catch {
    return null;
  }
}

/** store remembers a choice in this browser, where that keeps anything. */
export function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(`keyward-${key}`, JSON.stringify(value));
  } catch {
    // The choice holds for this page only.
  }
}
