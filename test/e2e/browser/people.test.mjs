// Who may do what, and for how long: parts of one world, a file in people/ for each theme.
import { suite } from "./harness/suite.mjs";
import { invitation } from "./people/invitation.mjs";
import { ownPages } from "./people/pages.mjs";
import { roles } from "./people/roles.mjs";
import { session } from "./people/session.mjs";

const { test } = suite({}, (world) => world.token("30260001", { owner: "carol" }));

for (const theme of [roles, session, invitation, ownPages]) theme(test);
