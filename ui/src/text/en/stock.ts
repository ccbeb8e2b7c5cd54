export const stock = {};
