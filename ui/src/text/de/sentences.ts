import type { Sentences } from "../sentences";
import { jobs } from "./jobs";
import { access } from "./problems/access";
import { agent } from "./problems/agent";
import { certificates } from "./problems/certificates";
import { mail } from "./problems/mail";
import { records } from "./problems/records";
import { server } from "./problems/server";

/** What problems and jobs say. */
export const sentences: Sentences = { ...jobs, ...access, ...agent, ...certificates, ...mail, ...records, ...server };
