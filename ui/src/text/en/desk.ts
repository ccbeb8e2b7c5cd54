export const desk = {
  give: { taken: (name: string) => `${name} has this token. Take it back first, or choose another one.` },
};
