import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** short gives a file its name: that of a shared one would be the list of all pages that share it. */
const short = (name: string) => name.replace(/\.\w+$/, "").replace(/^shared~.*/, "shared");

// The built pages are embedded into the server's binary from internal/web.
export default defineConfig({
  plugins: [react()],
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
        // A file for each icon and each shared function would make dozens of requests of half a kilobyte.
        codeSplitting: {
          groups: [
            // What every page needs: the libraries, which seldom change, and our own.
            { name: "libraries", tags: ["$initial"], test: /[\\/]node_modules[\\/]/, priority: 3 },
            { name: "base", tags: ["$initial"], priority: 2 },
            // What several pages need, in files of some size by who needs it.
            { name: "shared", minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 20_000, priority: 1 },
          ],
        },
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
