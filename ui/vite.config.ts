import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

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
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ["/api", "/downloads/"].map((path) => [path, process.env.VITE_SERVER ?? "http://localhost:8080"]),
    ),
  },
});
