import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { acyclic, chunks } from "./scripts/chunks";
import { mantine } from "./scripts/mantine";

/** short gives a file its name: that of a shared one would be the list of all pages that share it. */
const short = (name: string) => name.replace(/(\.gen)?\.\w+$/, "").replace(/^shared-.*/, "shared");

// The built pages are embedded into the server's binary from internal/web.
export default defineConfig({
  plugins: [react(), mantine(), acyclic()],
  build: {
    outDir: "../internal/web/dist",
    emptyOutDir: true,
    target: "es2022",
    // Files of their own, never data: URLs, so that the policy stays strict.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700, // scripts/sizes.mjs judges
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name }) => `assets/${short(name)}-[hash].js`,
        assetFileNames: ({ names: [name = ""] }) => `assets/${short(name)}-[hash][extname]`,
        codeSplitting: chunks(),
      },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ["/api", "/downloads/"].map((path) => [path, process.env.VITE_SERVER ?? "http://localhost:8080"]),
    ),
  },
});
