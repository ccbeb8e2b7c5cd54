import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
  rootRouteId,
} from "@tanstack/react-router";
import { AdminLogin, Login } from "./pages/login";
import { session } from "./session/session";
import { doneHere } from "./session/window";
import { Failed, Lost, Nowhere, Wrong } from "./shell/lost";
import { reached } from "./shell/module";
import { whole } from "./text";

// Each page is a chunk of its own, fetched when it is visited or about to be.
// `needs` names the operation without which a page makes no sense: the shell
// shows a refusal instead to whoever types its address without the role.

/** spoken waits for a module, and for all words of the language with it. Pages within the frame wait with that. */
function spoken<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => (await Promise.all([load(), whole()]))[0];
}

/** page is the component of a module that is fetched when somebody goes there. */
const page: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(reached(load), name);

const root = createRootRoute({ component: Outlet, notFoundComponent: Nowhere, errorComponent: Wrong });

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  component: Login,
});
const adminLogin = createRoute({
  getParentRoute: () => root,
  path: "/admin-login",
  component: AdminLogin,
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: page(() => import("./pages/invitation"), "Invitation"),
});
const signedIn = createRoute({
  getParentRoute: () => root,
  path: doneHere,
  component: page(() => import("./pages/signed-in"), "SignedIn"),
});

const restoring = createRoute({
  getParentRoute: () => root,
  path: "/restoring",
  component: page(
    spoken(() => import("./pages/restoring")),
    "Restoring",
  ),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  // Whom nobody has signed in at all does not wait for the frame to be told so.
  beforeLoad: ({ location, matches }) => {
    if (session.absent()) {
      if (matches.at(-1)?.fullPath === "/$") throw notFound({ routeId: rootRouteId });
      const search = { return_to: location.pathname + location.searchStr } as never;
      throw redirect({ to: "/login", search, replace: true });
    }
  },
  component: page(
    spoken(() => import("./shell/shell")),
    "Shell",
  ),
});
const within = () => shell;

const overview = createRoute({
  getParentRoute: within,
  path: "/",
  component: page(() => import("./pages/overview"), "Overview"),
});
const tokens = createRoute({
  getParentRoute: within,
  path: "/tokens",
  component: page(() => import("./pages/tokens"), "Tokens"),
});
const token = createRoute({
  getParentRoute: within,
  path: "/tokens/$serial",
  component: page(() => import("./pages/token"), "Token"),
});
const replacing = createRoute({
  getParentRoute: within,
  path: "/tokens/$serial/replace",
  component: page(() => import("./pages/replace"), "Replace"),
  staticData: { needs: "bulk-hwkeys" },
});
const certificates = createRoute({
  getParentRoute: within,
  path: "/certificates",
  component: page(() => import("./pages/certificates"), "Certificates"),
});
const certificate = createRoute({
  getParentRoute: within,
  path: "/certificates/$serial",
  component: page(() => import("./pages/certificate"), "Certificate"),
});
const profile = createRoute({
  getParentRoute: within,
  path: "/profile",
  component: page(() => import("./pages/profile"), "Profile"),
});
const stock = createRoute({
  getParentRoute: within,
  path: "/admin/tokens",
  component: page(() => import("./pages/admin/stock"), "Stock"),
  staticData: { needs: "register-hwkey" },
});
const desk = createRoute({
  getParentRoute: within,
  path: "/admin/desk",
  component: page(() => import("./pages/admin/desk"), "Desk"),
  staticData: { needs: "register-hwkey" },
});
const importing = createRoute({
  getParentRoute: within,
  path: "/admin/tokens/import",
  component: page(() => import("./pages/admin/import"), "Import"),
  staticData: { needs: "import-hwkeys" },
});
const people = createRoute({
  getParentRoute: within,
  path: "/admin/people",
  component: page(() => import("./pages/admin/people"), "People"),
  staticData: { needs: "list-users" },
});
const person = createRoute({
  getParentRoute: within,
  path: "/admin/people/$id",
  component: page(() => import("./pages/admin/person"), "Person"),
  staticData: { needs: "get-user" },
});
const importPeople = createRoute({
  getParentRoute: within,
  path: "/admin/people/import",
  component: page(() => import("./pages/admin/importpeople"), "ImportPeople"),
  staticData: { needs: "import-users" },
});
const organizations = createRoute({
  getParentRoute: within,
  path: "/admin/organizations",
  component: page(() => import("./pages/admin/organizations"), "Organizations"),
  staticData: { needs: "create-organization" },
});
const organization = createRoute({
  getParentRoute: within,
  path: "/admin/organizations/$id",
  component: page(() => import("./pages/admin/organization"), "OrganizationPage"),
  staticData: { needs: "get-organization" },
});
const profiles = createRoute({
  getParentRoute: within,
  path: "/admin/profiles",
  component: page(() => import("./pages/admin/profiles"), "Profiles"),
  staticData: { needs: "create-profile" },
});
const certificateProfile = createRoute({
  getParentRoute: within,
  path: "/admin/profiles/$name",
  component: page(() => import("./pages/admin/certificateprofile"), "CertificateProfile"),
  staticData: { needs: "get-profile" },
});
const cas = createRoute({
  getParentRoute: within,
  path: "/admin/cas",
  component: page(() => import("./pages/admin/cas"), "CAs"),
  staticData: { needs: "request-ca" },
});
const audit = createRoute({
  getParentRoute: within,
  path: "/admin/audit",
  component: page(() => import("./pages/admin/audit"), "Audit"),
  staticData: { needs: "list-audit" },
});
const compliance = createRoute({
  getParentRoute: within,
  path: "/admin/compliance",
  component: page(() => import("./pages/admin/compliance"), "Compliance"),
  staticData: { needs: "compliance-report" },
});
const apiKeys = createRoute({
  getParentRoute: within,
  path: "/admin/api-keys",
  component: page(() => import("./pages/admin/apikeys"), "ApiKeys"),
  staticData: { needs: "list-api-keys" },
});
const webhooks = createRoute({
  getParentRoute: within,
  path: "/admin/webhooks",
  component: page(() => import("./pages/admin/webhooks"), "Webhooks"),
  staticData: { needs: "list-webhooks" },
});
const webhook = createRoute({
  getParentRoute: within,
  path: "/admin/webhooks/$id",
  component: page(() => import("./pages/admin/webhook"), "WebhookPage"),
  staticData: { needs: "get-webhook" },
});
const health = createRoute({
  getParentRoute: within,
  path: "/system/health",
  component: page(() => import("./pages/admin/health"), "Health"),
  staticData: { needs: "system-health" },
});
const backups = createRoute({
  getParentRoute: within,
  path: "/system/backups",
  component: page(() => import("./pages/admin/backups"), "Backups"),
  staticData: { needs: "list-backups" },
});
const license = createRoute({
  getParentRoute: within,
  path: "/system/license",
  component: page(() => import("./pages/admin/license"), "LicensePage"),
  staticData: { needs: "get-license" },
});
const mail = createRoute({
  getParentRoute: within,
  path: "/system/mail",
  component: page(() => import("./pages/admin/mail"), "MailPage"),
  staticData: { needs: "get-mail-settings" },
});
const settings = createRoute({
  getParentRoute: within,
  path: "/system/settings",
  component: page(() => import("./pages/admin/settings"), "Settings"),
  staticData: { needs: "put-password-policy" },
});

const lost = createRoute({ getParentRoute: within, path: "$", component: Lost });

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    adminLogin,
    invitation,
    signedIn,
    restoring,
    shell.addChildren([
      overview,
      tokens,
      token,
      replacing,
      certificates,
      certificate,
      profile,
      stock,
      desk,
      importing,
      people,
      person,
      importPeople,
      organizations,
      organization,
      profiles,
      certificateProfile,
      cas,
      audit,
      compliance,
      apiKeys,
      webhooks,
      webhook,
      health,
      backups,
      license,
      mail,
      settings,
      lost,
    ]),
  ]),
  defaultErrorComponent: Failed,
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    needs?: string;
  }
}
