import { type GetInputPropsReturnType, type UseFormReturnType, useForm as useMantineForm } from "@mantine/form";
import type { ReactNode } from "react";
import type { Attempt } from "./attempt";

/** What the page itself finds wrong with fields, by their names in the API. */
export type Wrongs = Partial<Record<string, string>>;

type Common = Pick<GetInputPropsReturnType, "onChange" | "onFocus" | "onBlur"> & { error: ReactNode };

type GetInputProps<T> = {
  <K extends keyof T & string>(name: K): Common & { value: T[K] };
  (name: keyof T & string, options: { type: "checkbox" }): Common & { checked: boolean };
};

export type FormOf<T> = Omit<UseFormReturnType<T>, "getInputProps"> & {
  wrong: Wrongs;
  getInputProps: GetInputProps<T>;
};

const nothing = () => ({});

/**
 * useForm is Mantine's, with values by their names in the API: a field shows what the page finds wrong with it, or else
 * what the server said last.
 */
export function useForm<T extends object>(
  attempt: Attempt,
  initialValues: T,
  find: (values: T) => Wrongs = nothing,
): FormOf<T> {
  const form = useMantineForm<T>({ initialValues });
  const wrong = find(form.values);
  const getInputProps = (name: keyof T & string, options?: { type: "checkbox" }) => ({
    ...form.getInputProps(name, options),
    error: attempt.field(name, wrong[name]),
  });
  return { ...form, wrong, getInputProps: getInputProps as GetInputProps<T> };
}
