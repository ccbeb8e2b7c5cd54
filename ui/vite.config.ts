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
        codeSplitting: {
          groups: [
            // What every page needs: the libraries, which seldom change, and our own.
            { name: "libraries", tags: ["$initial"], test: /[\\/]node_modules[\\/]/, priority: 3 },
            { name: "base", tags: ["$initial"], priority: 2 },
            // What several pages need, a file for each set of them. Merged into larger ones (entriesAwareMergeThreshold),
            // two such files may need each other, and one of them runs too early: a page stays blank.
            { name: "shared", minShareCount: 2, entriesAware: true, priority: 1 },
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
