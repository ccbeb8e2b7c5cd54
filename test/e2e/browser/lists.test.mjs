// The lists, as parts of one world: lists/ has their tests, a file for each theme.
import { issue } from "./harness/fleet.mjs";
import { suite } from "./harness/suite.mjs";
import { audit } from "./lists/audit.mjs";
import { certificates, revocations } from "./lists/certificates.mjs";
import { find } from "./lists/find.mjs";
import { live } from "./lists/live.mjs";
import { narrowed, views } from "./lists/narrowed.mjs";
import { tasks } from "./lists/tasks.mjs";
import { tokens } from "./lists/tokens.mjs";

const { test } = suite({}, async (world) => {
  for (const [serial, owner] of [
    ["30260001", "carol"],
    ["30260002", "dave"],
    ["30260003", "erin"],
  ]) {
    await world.token(serial, { owner });
    const made = await issue(world, serial, owner);
    if (owner !== "dave") await world.admin.post(`/api/certificates/${made.serial_number}/installed`);
  }
});

// One after the other, in this order: they share what there is.
for (const theme of [certificates, tasks, tokens, revocations, find, audit, narrowed, views, live]) theme(test);
