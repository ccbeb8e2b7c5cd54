/** dangerous is the colour of a word that takes something away; it can be read in both schemes. */
export const dangerous = "light-dark(var(--mantine-color-red-8), var(--mantine-color-red-4))";
