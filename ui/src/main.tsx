import "./trusted"; // before anything that may touch the page
import "./fonts/inter.css";
import "virtual:mantine/first.css";
import "@mantine/notifications/styles.css";
import "./styles.css";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { preferred, speak, whole } from "./text";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
setNonce(nonce); // for the styles that dialogs make while they lock scrolling

// Who types means to come in: what is needed there is on its way by then.
addEventListener("input", () => void Promise.all([whole(), import("./shell/shell")]).catch(() => {}), { once: true });

// Not awaited at the top level: the chunk of a language may need one that is still waiting here.
void speak(preferred())
  .catch(() => speak("en")) // another language is better than a blank page
  .then(() => {
    const root = document.getElementById("root");
    if (!root) return;
    createRoot(root).render(
      <StrictMode>
        <App nonce={nonce} />
      </StrictMode>,
    );
  });
