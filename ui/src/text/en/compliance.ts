export const compliance = {};
