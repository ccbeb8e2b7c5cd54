import type { Agent, Backend } from "../ports";
import { problem, type World } from "./world";

/** Cut is what a flow is told when the line breaks. */
export class Cut extends Error {}

/** Line counts the calls of a flow and breaks one: before it happens, or after, with the answer lost. */
export class Line {
  readonly names: string[] = [];
  readonly #at: number;
  readonly #after: boolean;

  constructor(at = -1, after = false) {
    this.#at = at;
    this.#after = after;
  }

  /** ports are the world's, with this line between. */
  ports(world: World): { backend: Backend; agent: Agent } {
    return { backend: this.#through(world.backend), agent: this.#through(world.agent) };
  }

  #through<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, name) => {
        const call: unknown = Reflect.get(target, name);
        if (typeof call !== "function") return call;
        return async (...args: unknown[]) => {
          const here = this.names.push(String(name)) - 1 === this.#at;
          if (here && !this.#after) throw new Cut(`before ${String(name)}`);
          try {
            const answer: unknown = await call(...args);
            if (here) throw new Cut(`answer of ${String(name)}`);
            return answer;
          } catch (error) {
            throw here ? new Cut(`answer of ${String(name)}`) : problem(error);
          }
        };
      },
    });
  }
}
