import { defineConfig } from "vite";

// The page's flows in one file for node: test/flow runs them against the real service.
export default defineConfig({
  publicDir: false,
  ssr: { noExternal: true },
  build: {
    ssr: "flows/worker.ts",
    emptyOutDir: true,
    minify: false,
    rolldownOptions: { output: { entryFileNames: "worker.js", codeSplitting: false } },
  },
});
