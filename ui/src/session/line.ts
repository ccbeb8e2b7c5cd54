/** Cancelled: the person did not want to confirm who they are. */
export class Cancelled extends Error {}

type Place = { resolve: () => void; reject: (e: Error) => void };

/** Line is who waits for one answer of the person. Whoever comes while it is open gets the same one. */
export class Line {
  #places: Place[] = [];

  /** waiting tells whether somebody stands in the line. */
  get waiting(): boolean {
    return this.#places.length > 0;
  }

  /** join waits for the answer. It throws Cancelled when that is no. */
  join(): Promise<void> {
    return new Promise((resolve, reject) => this.#places.push({ resolve, reject }));
  }

  /** admit lets all go on. */
  admit(): void {
    for (const place of this.#leave()) place.resolve();
  }

  /**
   * dismiss sends all away, once the event that led to it is over: the Escape
   * that closes the question would otherwise find the dialog beneath it free to
   * be closed, too.
   */
  dismiss(): void {
    const places = this.#leave();
    setTimeout(() => {
      for (const place of places) place.reject(new Cancelled("not confirmed"));
    });
  }

  #leave(): Place[] {
    const places = this.#places;
    this.#places = [];
    return places;
  }
}
