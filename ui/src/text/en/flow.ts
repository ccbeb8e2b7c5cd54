export const flow = {};
