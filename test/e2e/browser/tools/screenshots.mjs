// Takes pictures of every page, light and dark, wide and narrow, and wide in
// German, of a server with 3,000 tokens on it. See scripts/screenshots.
//
// SCENES and VIEWS are patterns that name some of them: SCENES='^admin-' VIEWS='wide$'
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { estate, estateSettings } from "../harness/estate.mjs";
import { fleet, fleetTokens } from "../harness/fleet.mjs";
import { World } from "../harness/world.mjs";
import { pictures } from "./shoot.mjs";

const folder = resolve(process.argv[2]);
mkdirSync(folder, { recursive: true });

let world;
try {
  world = await World.start({ tokens: fleetTokens, agent: true, settings: estateSettings });
  const begun = performance.now();
  const shown = await fleet(world);
  await estate(world);
  console.log(`filled in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  for (const serial of fleetTokens.slice(2)) await world.unplug(serial); // other people's
  const { SCENES = "", VIEWS = "" } = process.env;
  const wrong = await pictures(world, shown, folder, { scene: new RegExp(SCENES), view: new RegExp(VIEWS) });
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
} finally {
  await world?.stop();
}
console.log(`in ${folder}`);
